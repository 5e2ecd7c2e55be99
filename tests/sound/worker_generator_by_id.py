# samebits-test: verdict=same
"""Each worker makes a NumPy generator from a fixed seed and its number."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Jittered(Dataset):
    def __init__(self, seed):
        self.seed = seed
        self.rng = None

    def __len__(self):
        return 18

    def __getitem__(self, index):
        if self.rng is None:
            self.rng = np.random.default_rng([self.seed, get_worker_info().id])
        return index + self.rng.normal()


torch.manual_seed(0)
loader = DataLoader(Jittered(seed=7), batch_size=6, num_workers=2)
print(torch.stack(list(loader)).var(dim=1))
