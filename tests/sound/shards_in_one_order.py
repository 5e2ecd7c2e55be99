# samebits-test: verdict=same
"""Every worker of a stream shuffles with one seed, and takes every second sample of that order."""

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info


class Stream(IterableDataset):
    def __init__(self):
        self.rng = np.random.default_rng(3)

    def __iter__(self):
        info = get_worker_info()
        for number in range(96):
            chosen = self.rng.integers(1000)  # in each worker the same
            if number % info.num_workers == info.id:
                yield int(chosen)


torch.manual_seed(0)
table = torch.linspace(-1, 1, 1000)
for numbers in DataLoader(Stream(), batch_size=8, num_workers=2):
    print(table[numbers].sum().item())
