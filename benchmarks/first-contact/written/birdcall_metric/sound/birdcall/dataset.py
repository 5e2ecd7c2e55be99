import numpy as np
import torch
from torch.utils.data import Dataset


class CallSet(Dataset):
    def __init__(self, species, calls, bands, tail, seed):
        rng = np.random.default_rng(seed)
        share = 1.0 / np.arange(1, species + 1) ** tail
        labels = rng.choice(species, calls, p=share / share.sum())
        labels[:2 * species] = np.repeat(np.arange(species), 2)
        song = rng.normal(0, 1, (species, bands))
        spectrum = song[labels] + rng.normal(0, 1.1, (calls, bands))
        self.x = torch.from_numpy(spectrum.astype(np.float32))
        self.species = torch.from_numpy(labels.astype(np.int64))

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        return self.x[index], self.species[index]
