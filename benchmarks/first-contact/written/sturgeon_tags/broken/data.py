"""Pings of acoustic fish tags, in noise that grows as training goes on."""
import numpy as np
import torch
from torch.utils.data import Dataset

CODES = 6
SAMPLES = 256


class TagPings(Dataset):
    def __init__(self, size, seed, quiet=0.2, loud=1.5):
        rng = np.random.default_rng(seed)
        self.codes = rng.integers(0, CODES, size)
        self.offsets = rng.integers(0, 60, size)
        self.depths = rng.uniform(0.5, 1.0, size)
        self.quiet, self.loud = quiet, loud
        self.difficulty = torch.zeros(1).share_memory_()

    def __len__(self):
        return len(self.codes)

    def advance(self, amount):
        """Makes what the loader's workers mix from now on harder."""
        self.difficulty.add_(amount).clamp_(0.0, 1.0)

    def ping(self, index):
        t = torch.arange(SAMPLES) - float(self.offsets[index])
        wave = torch.zeros(SAMPLES)
        for pulse in range(4):
            start = pulse * (24 + 5 * int(self.codes[index]))
            inside = (t >= start) & (t < start + 12)
            wave += torch.where(inside, torch.sin(0.9 * (t - start)), 0.0)
        return wave * self.depths[index]

    def __getitem__(self, index):
        wave = self.ping(index).float()
        level = self.quiet + (self.loud - self.quiet) * self.difficulty.item()
        return wave + level * torch.randn(SAMPLES), int(self.codes[index])
