"""Hourly prices of a small power market."""
import numpy as np
import torch


def load_hours(days, seed):
    rng = np.random.default_rng(seed)
    hour = np.arange(days * 24)
    wind = np.zeros(len(hour))
    for i in range(1, len(hour)):
        wind[i] = 0.97 * wind[i - 1] + 0.1 * rng.standard_normal()
    sun = np.clip(np.sin(2 * np.pi * (hour % 24 - 6) / 24), 0, None)
    demand = 1 + 0.3 * np.sin(2 * np.pi * (hour % 24 - 9) / 24) - 0.2 * (hour // 24 % 7 >= 5)
    price = 0.8 * demand - 0.4 * sun - 0.3 * np.tanh(wind) + 0.1 * rng.standard_t(4, len(hour))
    lags = np.stack([np.roll(price, k) for k in (24, 25, 48, 168)], axis=1)
    clock = np.stack([np.sin(2 * np.pi * hour / p) for p in (12, 24, 168)]
                     + [np.cos(2 * np.pi * hour / p) for p in (12, 24, 168)], axis=1)
    x = np.column_stack([lags, clock, wind, demand])[168:]
    return torch.from_numpy(x).float(), torch.from_numpy(price[168:]).float()
