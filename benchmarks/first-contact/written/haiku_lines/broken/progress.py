"""Progress on the terminal."""
import sys
import time


class Heartbeat:
    """Says now and then that the training is alive, and shows what the model writes by then."""

    def __init__(self, every: float, show, out=sys.stdout):
        self.every = every
        self.show = show
        self.out = out
        self.begun = time.monotonic()
        self.last = self.begun
        self.seen = 0

    def tick(self, step: int, items: int, loss: float) -> None:
        self.seen += items
        now = time.monotonic()
        if now - self.last < self.every:
            return
        self.last = now
        rate = self.seen / (now - self.begun)
        print(f"step {step:4d}  loss {loss:.4f}  {rate:8.0f} chars/s  {self.show()!r}", file=self.out, flush=True)
