"""Envelopes of the ticks of watches that run fast or slow."""
import numpy as np
import torch

LENGTH = 256


def make_watches(n, seed):
    rng = np.random.default_rng(seed)
    rate = rng.normal(0, 1, n)
    t = np.arange(LENGTH)[None]
    period = 32 * (1 - 0.02 * rate[:, None])
    phase = (t - rng.uniform(0, 4, (n, 1))) % period
    beat = np.exp(-phase / 2) + 0.6 * np.exp(-np.abs(phase - 6) / 1.5)
    x = beat * rng.uniform(0.7, 1.3, (n, 1)) + rng.normal(0, 0.08, (n, LENGTH))
    return torch.from_numpy(x.astype(np.float32))[:, None], torch.from_numpy(rate.astype(np.float32))
