"""Ring width series of larch and pine, made up from a shared climate signal."""
import numpy as np
import torch
from torch.utils.data import Dataset

SPECIES = ("larch", "pine", "spruce")


def climate(years, rng):
    signal = np.zeros(years)
    for year in range(1, years):
        signal[year] = 0.7 * signal[year - 1] + rng.normal(0, 0.5)
    return signal


def grow(count, years, seed):
    rng = np.random.default_rng(seed)
    weather = climate(years, rng)
    ages = np.arange(years)
    series = np.empty((count, years), dtype=np.float32)
    for row in range(count):
        response = rng.uniform(0.2, 0.6) * (1 + row % len(SPECIES))
        trend = 2.5 * np.exp(-ages / rng.uniform(40, 90)) + 0.4
        series[row] = trend * np.exp(0.3 * response * weather + rng.normal(0, 0.1, years))
    return series


class RingSeries(Dataset):
    """Detrended by the mean of each core, in log units."""

    def __init__(self, widths):
        logs = np.log(widths)
        self.values = torch.from_numpy(logs - logs.mean(axis=1, keepdims=True))

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]
