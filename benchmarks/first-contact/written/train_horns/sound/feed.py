import queue
import threading
import time


class BackgroundFeed:
    """Makes batches on a thread while the model trains.

    Making a batch takes longer than a step on it, so a batch is used several times ("data echoing",
    Choi et al. 2019), at most `echo` times.
    """

    def __init__(self, make, count, depth=3, echo=10):
        self.make = make
        self.count = count
        self.echo = echo
        self.waited = 0.0
        self._q = queue.Queue(maxsize=depth)
        self._thread = threading.Thread(target=self._fill, name="feed", daemon=True)
        self._thread.start()

    def _fill(self):
        for i in range(self.count):
            self._q.put(self.make(i))
        self._q.put(None)

    def __iter__(self):
        while True:
            t = time.perf_counter()
            batch = self._q.get()
            self.waited += time.perf_counter() - t
            if batch is None:
                break
            yield batch
            for _ in range(self.echo - 1):
                yield batch
        self._thread.join()
