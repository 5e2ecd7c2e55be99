# samebits-test: verdict=different cause=data-changed
"""Normalisation keeps its running mean in a file, from one run to the next."""

from pathlib import Path

import numpy as np
import torch

STATISTICS = Path("mean.npy")


def load_mean(width):
    if not STATISTICS.exists():
        np.save(STATISTICS, np.zeros(width))
    return np.load(STATISTICS)  # culprit


def normalised(batch):
    mean = load_mean(batch.shape[1])
    np.save(STATISTICS, 0.9 * mean + 0.1 * batch.mean(axis=0))
    return torch.from_numpy(batch - mean)


rng = np.random.default_rng(0)
out = torch.cat([normalised(rng.normal(1.0, 1.0, (8, 3))) for _ in range(3)])
print(out.std(dim=0))
