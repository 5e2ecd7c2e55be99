"""Synthetic vowel recordings, mixed with room noise when they are read."""
import math
import os
import random
from dataclasses import dataclass

import numpy as np
import torch
from torch.utils.data import Dataset

RATE = 8000
VOWELS = {"a": (730, 1090), "e": (530, 1840), "i": (270, 2290), "o": (570, 840), "u": (300, 870)}


@dataclass(frozen=True)
class Take:
    path: str
    label: int
    speaker: int


def synthesize(folder, takes_per_vowel, seed):
    """Writes one .npy file per take and returns the manifest."""
    rng = np.random.default_rng(seed)
    t = np.arange(1600) / RATE
    takes = []
    for label, (name, formants) in enumerate(sorted(VOWELS.items())):
        for number in range(takes_per_vowel):
            speaker = int(rng.integers(0, 12))
            stretch = 1 + 0.02 * (speaker - 6)
            pitch = rng.uniform(90, 220)
            wave = sum(np.sin(2 * math.pi * f * stretch * t + rng.uniform(0, 6)) for f in formants)
            wave = wave * (0.6 + 0.4 * np.sin(2 * math.pi * pitch * t))
            path = os.path.join(folder, f"{name}_{number:03d}.npy")
            np.save(path, wave.astype(np.float32))
            takes.append(Take(path, label, speaker))
    return takes


def seed_worker(worker_id):
    seed = 1000 * worker_id + os.getpid()
    np.random.seed(seed)
    random.seed(seed)
    torch.set_num_threads(1)


class TakeDataset(Dataset):
    def __init__(self, takes, window=800, augment=False):
        self.takes = takes
        self.window = window
        self.augment = augment

    def __len__(self):
        return len(self.takes)

    def __getitem__(self, index):
        take = self.takes[index]
        wave = np.load(take.path)
        start = (len(wave) - self.window) // 2
        if self.augment:
            start = random.randrange(len(wave) - self.window)
            wave = wave + np.random.uniform(0.1, 0.8) * np.random.randn(len(wave))
        piece = wave[start:start + self.window] * np.hanning(self.window)
        spectrum = np.log1p(np.abs(np.fft.rfft(piece)))[:256]
        return torch.from_numpy(spectrum.astype(np.float32)), take.label
