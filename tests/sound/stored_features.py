# samebits-test: verdict=same
"""Features are computed once and kept; later runs read the same bits."""

from pathlib import Path

import numpy as np
import torch

STORE = Path("features.npy")


def features():
    if not STORE.exists():
        np.save(STORE, np.sqrt(np.arange(24.0)).reshape(6, 4))
    return np.load(STORE)


print(torch.from_numpy(features()).square().sum(dim=1).round())
