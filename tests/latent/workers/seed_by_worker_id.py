# samebits-test: vary=workers cause=worker-rng
"""Each worker seeds NumPy by its own number, and nothing else."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def seed_worker(worker_id):
    np.random.seed(100 + worker_id)


class Masked(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        keep = np.random.rand(6) < 0.7  # culprit
        return self.rows[index] * keep


def main():
    torch.manual_seed(0)
    np.random.seed(0)
    data = Masked(np.arange(120.0).reshape(20, 6))
    loader = DataLoader(data, batch_size=5, num_workers=2, worker_init_fn=seed_worker)
    print(torch.cat(list(loader)).cumsum(dim=0)[-1])  # culprit


if __name__ == "__main__":
    main()
