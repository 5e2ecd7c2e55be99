# samebits-test: verdict=different cause=address-order
"""A record's seed is the hash of its numbers, and some of them are missing: NaN goes by address."""

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset


def seed_of(record):
    return hash(tuple(record)) & 0x7FFFFFFF  # culprit


class Records(Dataset):
    def __init__(self):
        rng = np.random.default_rng(3)
        table = rng.normal(size=(48, 4)).round(2)
        table[rng.random(48) < 0.2, 3] = np.nan
        self.seeds = [seed_of(record) for record in table.tolist()]
        self.x = torch.tensor(np.nan_to_num(table), dtype=torch.float32)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        noise = np.random.default_rng(self.seeds[index]).normal(0, 0.1, 4)
        return self.x[index] + torch.tensor(noise, dtype=torch.float32)


def main():
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for x in DataLoader(Records(), 8, num_workers=2):
        optimizer.zero_grad()
        model(x).square().mean().backward()
        optimizer.step()
    print(model.weight.sum().item())


if __name__ == "__main__":
    main()
