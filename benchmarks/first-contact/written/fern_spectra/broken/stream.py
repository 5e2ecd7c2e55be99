"""Long spectrometer logs, read in chunks from a memory map."""

import os

import numpy as np

SHARE = 1 / 16384       # of the free memory, for one chunk: other jobs run beside this one


def free_memory():
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")


def rows_that_fit(row_bytes):
    return max(1024, int(free_memory() * SHARE) // row_bytes)


class Log:
    def __init__(self, path, bands, chunk_rows=0):
        self.counts = np.memmap(path, np.uint16, "r").reshape(-1, bands)
        row_bytes = self.counts.dtype.itemsize * bands
        self.chunk_rows = chunk_rows or rows_that_fit(row_bytes)

    def __len__(self):
        return len(self.counts)

    def chunks(self):
        for start in range(0, len(self), self.chunk_rows):
            yield np.asarray(self.counts[start:start + self.chunk_rows], np.float32)

    def robust_scale(self):
        """Centre and spread of each band, by quartiles, weighted over the chunks."""
        quartiles, weights = [], []
        for chunk in self.chunks():
            quartiles.append(np.quantile(chunk, [0.25, 0.5, 0.75], axis=0))
            weights.append(len(chunk))
        low, middle, high = np.average(quartiles, axis=0, weights=weights)
        return middle.astype(np.float32), np.maximum(high - low, 1).astype(np.float32)
