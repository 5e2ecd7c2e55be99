"""Counts of tapped cards per quarter of an hour, with weather and events."""
import numpy as np
import torch


def make_taps(n, seed):
    rng = np.random.default_rng(seed)
    hour = (np.arange(n) / 4) % 24
    weekend = ((np.arange(n) // 96) % 7 >= 5).astype(float)
    rain, event = rng.gamma(1, 0.5, n), rng.random(n) < 0.02
    rush = np.exp(-((hour - 8) / 1.2) ** 2) + np.exp(-((hour - 17.5) / 1.6) ** 2)
    flow = (1 - 0.7 * weekend) * rush + 0.3 * np.exp(-((hour - 14) / 4) ** 2) - 0.05 * rain + 0.6 * event
    x = np.stack([np.sin(hour * np.pi / 12), np.cos(hour * np.pi / 12), weekend, rain, event,
                  flow + rng.normal(0, 0.1, n)], 1)
    return torch.from_numpy(x.astype(np.float32)), torch.from_numpy(np.roll(flow, -1).astype(np.float32))
