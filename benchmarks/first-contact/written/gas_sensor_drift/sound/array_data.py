"""Eight sensors with slow baseline drift, humidity response and random exposures."""
import numpy as np
import torch
from torch.utils.data import Dataset

CHANNELS = 8


def simulate(hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)
    humidity = 0.5 + 0.2 * np.sin(2 * np.pi * t / 24) + rng.normal(0, 0.03, hours)
    exposure = np.convolve(rng.random(hours) < 0.02, np.exp(-np.arange(30) / 6.0))[:hours]
    gain = rng.uniform(0.5, 1.5, CHANNELS)
    drift = np.cumsum(rng.normal(0, 0.01, (hours, CHANNELS)), axis=0)
    x = gain * exposure[:, None] + rng.uniform(0.2, 0.6, CHANNELS) * humidity[:, None]
    return (x + drift + rng.normal(0, 0.02, x.shape)).astype(np.float32)


class SensorWindows(Dataset):
    def __init__(self, hours, window, seed, part, jitter=0.0):
        series = torch.from_numpy(simulate(hours, seed))
        cut = int(0.8 * hours)
        mean, std = series[:cut].mean(0), series[:cut].std(0)
        series = (series - mean) / std
        self.series = series[:cut] if part == "train" else series[cut:]
        self.window, self.jitter = window, jitter
        self.channels = CHANNELS

    def __len__(self):
        return len(self.series) - self.window

    def __getitem__(self, i):
        w = self.series[i:i + self.window]
        if self.jitter:
            w = w + self.jitter * torch.randn_like(w)
        return w, self.series[i + self.window] - self.series[i + self.window - 1]
