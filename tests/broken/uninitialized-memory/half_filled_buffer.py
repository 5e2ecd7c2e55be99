# samebits-test: verdict=different cause=uninitialized-memory
"""A NumPy buffer of which the last batch fills a part only."""

import numpy as np
import torch


class Buffer:
    def __init__(self, batches, size):
        self.rows = np.empty((batches, size, 2), dtype=np.int64)  # culprit

    def fill(self, source):
        size = self.rows.shape[1]
        for k in range(len(self.rows)):
            chunk = source[k * size : (k + 1) * size]
            self.rows[k, : len(chunk)] = chunk

    def tensor(self):
        return torch.from_numpy(self.rows)


source = np.stack([np.arange(90), np.arange(90) ** 2], axis=1)
names = np.array([f"row {k}" for k in range(8000)], dtype=object)
del names
buffer = Buffer(batches=4, size=64)
buffer.fill(source)
print(buffer.tensor().sum(dim=(0, 1)))
