"""Rental histories of umbrella stands in the city, and the windows cut from them."""
import numpy as np
import torch
from torch.utils.data import Dataset


class StandWindows(Dataset):
    """One item is a stand on a day: what was rented in the weeks before, and on the day."""

    def __init__(self, stands, days, seed):
        rng = np.random.default_rng(seed)
        rain = rng.gamma(0.6, 4.0, days) * (rng.random(days) < 0.45)
        base = rng.uniform(2, 20, stands)
        self.rented = rng.poisson(base[:, None] * (0.3 + 0.25 * rain)).astype(np.float32)
        self.rain = rain.astype(np.float32)
        self.stands = stands
        self.days = days
        self.seed = seed
        self.epoch = 0
        self.longest = 56

    def __len__(self):
        return self.stands * (self.days - self.longest)

    def __getitem__(self, index):
        stand, day = divmod(index, self.days - self.longest)
        day += self.longest
        rng = np.random.default_rng([self.seed, self.epoch, index])
        length = int(rng.integers(14, self.longest + 1))
        history = self.rented[stand, day - length:day]
        rain = self.rain[day - length:day]
        features = np.zeros((4, 14), dtype=np.float32)
        for lag in range(14):
            weight = 0.9 ** np.arange(length)[::-1]
            features[0, lag] = np.average(history, weights=np.roll(weight, -lag))
            features[1, lag] = rain[-1 - lag]
            features[2, lag] = history[-1 - lag]
            features[3, lag] = history[:length - lag].std()
        features *= 1 + rng.normal(0, 0.01, features.shape).astype(np.float32)
        extra = np.float32(self.rain[day])
        return torch.from_numpy(features), torch.tensor(extra), torch.tensor(self.rented[stand, day])
