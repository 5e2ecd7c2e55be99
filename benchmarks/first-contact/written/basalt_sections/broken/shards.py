"""Reads the shards of a folder one after the other, shuffled within each."""
import numpy as np
import torch
from torch.utils.data import IterableDataset


def load_all(folder):
    for path in sorted(folder.glob("part-*.npz")):
        with np.load(path) as part:
            yield torch.from_numpy(part["images"])[:, None], torch.from_numpy(part["kinds"])


class ShardStream(IterableDataset):
    def __init__(self, folder, seed):
        self.folder = folder
        self.rng = np.random.default_rng(seed)

    def __iter__(self):
        for images, kinds in load_all(self.folder):
            for row in self.rng.permutation(len(kinds)):
                yield images[row], kinds[row]
