# samebits-test: verdict=same finding=identical-randomness
"""A dataset has a generator for its augmentations; each worker gets a copy of it."""

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Signals(Dataset):
    def __init__(self, count, seed):
        self.clean = np.sin(np.linspace(0, 40, count * 8)).reshape(count, 8).astype(np.float32)
        self.rng = np.random.default_rng(seed)

    def __len__(self):
        return len(self.clean)

    def __getitem__(self, index):
        signal = self.clean[index]
        return signal + self.rng.normal(scale=0.1, size=8).astype(np.float32)  # culprit


def main():
    torch.manual_seed(0)
    model = nn.Linear(8, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(2):
        for batch in DataLoader(Signals(64, seed=1), batch_size=8, num_workers=2):
            optimizer.zero_grad()
            model(batch).square().mean().backward()
            optimizer.step()
    print(model.weight.detach())


if __name__ == "__main__":
    main()
