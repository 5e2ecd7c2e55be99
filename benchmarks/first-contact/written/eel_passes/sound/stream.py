"""Rows of a large file on disk in shuffled order: chunk after chunk, shuffled within each."""
import numpy as np
import torch
from torch.utils.data import IterableDataset

CHUNK_BYTES = 448 * 1024


class ChunkShuffle(IterableDataset):
    def __init__(self, path, columns, seed):
        self.rows = np.memmap(path, dtype=np.float32, mode="r").reshape(-1, columns)
        self.seed = seed
        self.epoch = 0
        self.chunk = max(1024, CHUNK_BYTES // self.rows[0].nbytes)

    def __iter__(self):
        rng = np.random.default_rng([self.seed, self.epoch])
        starts = np.arange(0, len(self.rows), self.chunk)
        rng.shuffle(starts)
        for start in starts:
            block = np.array(self.rows[start:start + self.chunk])
            rng.shuffle(block)
            yield from torch.from_numpy(block).split(128)
