# samebits-test: verdict=same
"""Each worker draws the same projection from one seed, and projects all of its samples by it."""

import random

import torch
from torch.utils.data import DataLoader, Dataset


class Projected(Dataset):
    def __init__(self):
        self.rows = torch.linspace(-1, 1, 64 * 6).reshape(64, 6)
        self.weights = None

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        if self.weights is None:
            rng = random.Random(0)
            self.weights = torch.tensor([[rng.gauss(0, 1) for _ in range(6)] for _ in range(3)])
        return self.weights @ self.rows[index]


if __name__ == "__main__":
    torch.manual_seed(0)
    for batch in DataLoader(Projected(), batch_size=8, num_workers=2):
        print(batch.sum().item())
