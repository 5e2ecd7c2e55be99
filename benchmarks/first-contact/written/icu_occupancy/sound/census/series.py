"""Hourly bed counts of four intensive care units, simulated from an admission/discharge process."""
import numpy as np
import torch
from torch.utils.data import Dataset

UNITS = ("medical", "surgical", "cardiac", "neuro")
CAPACITY = {"medical": 24, "surgical": 18, "cardiac": 12, "neuro": 10}


def simulate(days=260, seed=7301):
    rng = np.random.default_rng(seed)
    hours = np.arange(days * 24)
    counts = {}
    for unit in UNITS:
        cap = CAPACITY[unit]
        beds = cap // 2
        rate = cap / 70.0
        out = np.zeros(len(hours))
        for h in hours:
            weekday = (h // 24) % 7 < 5
            arrivals = rng.poisson(rate * (1.25 if weekday else 0.6) * (1 + 0.4 * np.sin(2 * np.pi * (h % 24) / 24)))
            leaving = rng.binomial(beds, 1 / 46.0)
            beds = int(np.clip(beds + arrivals - leaving, 0, cap))
            out[h] = beds / cap
        counts[unit] = out
    return np.stack([counts[u] for u in UNITS], axis=1).astype(np.float32)


class Windows(Dataset):
    """72 hours in, occupancy 24 hours later out, with a little measurement jitter while training."""

    def __init__(self, table, first, last, history=72, ahead=24, jitter=0.0):
        self.table = torch.from_numpy(table)
        self.starts = list(range(first, last - history - ahead, 3))
        self.history, self.ahead, self.jitter = history, ahead, jitter

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        s = self.starts[i]
        x = self.table[s : s + self.history]
        if self.jitter:
            x = x + self.jitter * torch.randn(x.shape)
        return x, self.table[s + self.history + self.ahead - 1]
