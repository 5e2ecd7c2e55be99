import queue
import threading


class Prefetcher:
    """Prepares batches in a thread while the model is busy."""

    _END = object()

    def __init__(self, make_batch, steps, depth=3):
        self.make_batch, self.steps = make_batch, steps
        self.queue = queue.Queue(maxsize=depth)
        self.thread = threading.Thread(target=self._fill, daemon=True)
        self.thread.start()

    def _fill(self):
        for step in range(self.steps):
            self.queue.put(self.make_batch(step))
        self.queue.put(self._END)

    def __iter__(self):
        while (item := self.queue.get()) is not self._END:
            yield item
        self.thread.join()
