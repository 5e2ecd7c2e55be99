# samebits-test: verdict=different cause=unseeded-rng detail=numpy
"""A collate function adds noise by NumPy; seed_all forgot NumPy."""

import random

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader


def seed_all(seed):
    random.seed(seed)
    torch.manual_seed(seed)


def noisy(samples):
    batch = np.stack(samples).astype(np.float32)
    batch += np.random.normal(scale=0.1, size=batch.shape)  # culprit
    return torch.from_numpy(batch)


def main():
    seed_all(1)
    samples = list(np.linspace(0, 1, 320).reshape(40, 8))
    model = nn.Linear(8, 8)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for batch in DataLoader(samples, batch_size=8, collate_fn=noisy):
        loss = nn.functional.mse_loss(model(batch), batch)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
