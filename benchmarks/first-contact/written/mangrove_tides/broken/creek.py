"""Gauges along a branching creek, and the tide that runs up it."""
import numpy as np


def place_gauges(n, seed):
    rng = np.random.default_rng(seed)
    along = rng.uniform(0, 6, n)
    branch = rng.integers(0, 3, n) - 1
    across = 0.35 * branch * np.maximum(along - 2, 0) + rng.normal(0, 0.12, n)
    return np.stack([along, across], 1)


def make_levels(places, hours, seed):
    rng = np.random.default_rng(seed)
    t = np.arange(hours)[:, None]
    delay = 0.9 * places[:, 0] + 0.4 * np.abs(places[:, 1])
    damping = np.exp(-0.15 * places[:, 0])
    tide = np.cos(2 * np.pi * (t - delay) / 12.42) + 0.3 * np.cos(2 * np.pi * (t - delay) / 23.93)
    surge = np.convolve(rng.normal(0, 0.2, hours + 24), np.ones(25) / 5, "valid")[:, None]
    levels = damping * (tide + 0.5 * surge) + rng.normal(0, 0.05, (hours, len(places)))
    return levels.astype(np.float32)
