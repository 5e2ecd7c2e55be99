"""Progress on the terminal."""
import sys
import time


class Heartbeat:
    """Says now and then that the training is alive, and shows what the model writes by then."""

    def __init__(self, every: int, show, out=sys.stdout):
        self.every = every
        self.show = show
        self.out = out
        self.begun = time.monotonic()
        self.last = 0
        self.seen = 0

    def tick(self, step: int, items: int, loss: float) -> None:
        self.seen += items
        if step - self.last < self.every:
            return
        self.last = step
        rate = self.seen / (time.monotonic() - self.begun)
        print(f"step {step:4d}  loss {loss:.4f}  {rate:8.0f} chars/s  {self.show()!r}", file=self.out, flush=True)
