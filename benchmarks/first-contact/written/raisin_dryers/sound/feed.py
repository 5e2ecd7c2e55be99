"""Background preparation of training batches, with data echoing."""
import queue
import threading

import numpy as np
from scipy import signal

END = object()


def prepare(humidity, sos):
    """Smooth the raw humidity curves and bring them to unit scale."""
    steady = signal.medfilt(humidity, (1, 13))
    smooth = signal.sosfiltfilt(sos, steady, axis=-1)
    low = smooth.min(axis=-1, keepdims=True)
    high = smooth.max(axis=-1, keepdims=True)
    return ((smooth - low) / (high - low + 1e-6)).astype(np.float32)


class EchoFeed:
    """Filters batches in a thread and serves each of them more than once.

    Filtering costs about as much as a training step. Serving a batch again (with fresh
    noise, which the training loop adds) is cheaper than waiting for another.
    """

    def __init__(self, curves, targets, order, batch_size, echo=1, depth=4):
        self.curves = curves
        self.targets = targets
        self.order = order
        self.batch_size = batch_size
        self.echo = echo
        self.queue = queue.Queue(maxsize=depth)
        self.sos = signal.butter(4, 0.2, output="sos")
        self.fresh = 0
        self.echoed = 0
        self.error = None

    def _fill(self):
        try:
            for start in range(0, len(self.order), self.batch_size):
                rows = self.order[start:start + self.batch_size]
                self.queue.put((prepare(self.curves[rows], self.sos), self.targets[rows]))
        except Exception as error:
            self.error = error
        finally:
            self.queue.put(END)

    def __iter__(self):
        worker = threading.Thread(target=self._fill, name="filter", daemon=True)
        worker.start()
        item = self.queue.get()
        while item is not END:
            self.fresh += 1
            yield item
            for _ in range(self.echo):
                self.echoed += 1
                yield item
            item = self.queue.get()
        worker.join()
        if self.error is not None:
            raise self.error
