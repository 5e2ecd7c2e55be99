# samebits-test: verdict=same
"""Noise belongs to the sample: two workers that get the same one draw the same for it."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


class Repeated(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        rng = np.random.default_rng([7, index % 8])
        return sum(rng.normal(size=4) for _ in range(12))


torch.manual_seed(0)
for _ in range(2):
    for batch in DataLoader(Repeated(), batch_size=8, num_workers=2):
        print(batch.sum().item())
