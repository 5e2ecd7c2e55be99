# samebits-test: verdict=different cause=worker-rng
"""Mixing weights drawn in a worker whose torch was seeded from the system."""

import torch
from torch.utils.data import DataLoader, Dataset


class Mixup(Dataset):
    def __init__(self, rows):
        self.rows = rows

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        share = torch.rand(())
        return share * self.rows[index] + (1 - share) * self.rows[-index - 1]


def independent(worker_id):
    torch.seed()  # culprit


if __name__ == "__main__":
    torch.manual_seed(0)
    data = Mixup(torch.randn(30, 5))
    loader = DataLoader(data, batch_size=10, num_workers=1, worker_init_fn=independent)
    print(sum(batch.prod(dim=1).sum() for batch in loader))
