"""Sung notes, synthesised: a few voices around one pitch, with breath noise and vibrato."""
import numpy as np
import torch
from torch.utils.data import Dataset

RATE = 8000
SAMPLES = 1024


class SungNotes(Dataset):
    """Notes with their deviation in cents; they get harder as `hardness` grows from 0 to 1."""

    def __init__(self, count, seed, hardness):
        self.count = count
        self.seed = seed
        self.hardness = hardness

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        rng = np.random.default_rng([self.seed, index])
        level = self.hardness.value
        cents = rng.uniform(-50, 50)
        pitch = 220.0 * 2 ** (cents / 1200)
        t = np.arange(SAMPLES) / RATE
        wave = np.zeros(SAMPLES)
        for _ in range(5):
            spread = 1 + 0.004 * level * rng.normal()
            vibrato = 0.3 * level * np.sin(2 * np.pi * rng.uniform(4, 7) * t)
            phase = 2 * np.pi * pitch * spread * t + vibrato + rng.uniform(0, 2 * np.pi)
            for harmonic in range(1, 6):
                wave += np.sin(harmonic * phase) / harmonic**1.3
        wave += (0.05 + 1.2 * level) * rng.normal(size=SAMPLES)
        spectrum = np.abs(np.fft.rfft(wave * np.hanning(SAMPLES), 4 * SAMPLES))[80:720]
        return torch.from_numpy(np.log1p(spectrum)).float(), torch.tensor(cents / 50).float()
