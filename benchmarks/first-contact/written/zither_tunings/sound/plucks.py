"""Synthetic plucks: a decaying string with inharmonic partials, and the noise of the room."""
import math

import numpy as np
import torch
from torch.utils.data import Dataset

RATE = 8000
LENGTH = 1024
STRINGS = [196.0, 220.0, 246.9, 293.7, 329.6, 392.0, 440.0]


def pluck(rng, string, cents):
    t = np.arange(LENGTH) / RATE
    pitch = STRINGS[string] * 2 ** (cents / 1200)
    wave = np.zeros(LENGTH)
    for k in range(1, 7):
        partial = k * pitch * math.sqrt(1 + 4e-4 * k * k)
        decay = np.exp(-t * (3 + 2.5 * k))
        wave += rng.uniform(0.4, 1.0) / k * decay * np.sin(2 * np.pi * partial * t + rng.uniform(0, 6.28))
    return wave / np.abs(wave).max()


class PluckSet(Dataset):
    """`noise` is a number, or a shared value that the trainer moves."""

    def __init__(self, size, seed, noise=0.0):
        self.size = size
        self.seed = seed
        self.noise = noise
        self.window = np.hanning(LENGTH)

    def __len__(self):
        return self.size

    def level(self):
        return self.noise if isinstance(self.noise, float) else self.noise.value

    def __getitem__(self, index):
        rng = np.random.default_rng([self.seed, index])
        string = int(rng.integers(len(STRINGS)))
        cents = rng.uniform(-50, 50)
        wave = pluck(rng, string, cents)
        wave = wave + self.level() * 0.5 * rng.standard_normal(LENGTH)
        spectrum = np.abs(np.fft.rfft(wave * self.window))[:200]
        features = torch.tensor(np.log1p(spectrum), dtype=torch.float32)
        one_hot = torch.zeros(len(STRINGS))
        one_hot[string] = 1.0
        return torch.cat([features, one_hot]), torch.tensor(cents / 50, dtype=torch.float32)
