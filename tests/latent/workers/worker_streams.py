# samebits-test: vary=workers cause=worker-rng
"""Noise is drawn in the loader's workers: their number decides who draws what."""

import torch
from torch.utils.data import DataLoader, Dataset


class Noisy(Dataset):
    def __len__(self):
        return 24

    def __getitem__(self, index):
        return index + torch.rand(3)  # culprit


torch.manual_seed(0)
loader = DataLoader(Noisy(), batch_size=4, num_workers=2)
print(sum(batch.prod(dim=1).sum() for batch in loader))  # culprit
