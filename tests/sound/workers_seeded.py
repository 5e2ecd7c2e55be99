# samebits-test: verdict=same
"""Workers seed NumPy and Python from the seed that torch gives them."""

import random

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


class Noisy(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return index + np.random.normal() + random.random() + torch.rand(())


generator = torch.Generator().manual_seed(0)
loader = DataLoader(
    Noisy(), batch_size=4, num_workers=2, worker_init_fn=seed_worker, generator=generator
)
print(torch.cat(list(loader)).std())
