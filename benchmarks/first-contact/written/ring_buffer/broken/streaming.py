"""A sensor stream, windowed into preallocated buffers by a reader thread."""
import threading
from queue import Queue

import numpy as np
import torch


class Sensor:
    def __init__(self, seed, channels=6):
        self.rng = np.random.default_rng(seed)
        self.mix = self.rng.normal(size=(channels, 3))
        self.channels = channels

    def read(self, windows, length, x, y):
        t = np.arange(length) / length
        for k in range(windows):
            label = self.rng.integers(3)
            phase = self.rng.uniform(0, 6.28)
            source = np.stack([np.sin(6.28 * (label + 1) * t + phase), np.cos(6.28 * t), np.sign(np.sin(9 * t))])
            x[k] = self.mix @ source + 0.4 * self.rng.normal(size=(self.channels, length))
            y[k] = label


class BufferedReader:
    """Fills a ring of buffers; yields tensors that share their memory, so nothing is copied."""

    def __init__(self, sensor, windows, length, batches, slots=3):
        self.sensor, self.windows, self.length, self.batches = sensor, windows, length, batches
        self.x = [np.zeros((windows, sensor.channels, length), np.float32) for _ in range(slots)]
        self.y = [np.zeros(windows, np.int64) for _ in range(slots)]
        self.ready = Queue(maxsize=slots)

    def _fill(self):
        for number in range(self.batches):
            slot = number % len(self.x)
            self.sensor.read(self.windows, self.length, self.x[slot], self.y[slot])
            self.ready.put(slot)
        self.ready.put(None)

    def __iter__(self):
        threading.Thread(target=self._fill, daemon=True).start()
        while True:
            slot = self.ready.get()
            if slot is None:
                return
            yield torch.from_numpy(self.x[slot]), torch.from_numpy(self.y[slot])
