# samebits-test: verdict=same
"""A sampler draws groups by a seeded generator; each run has a folder with letters at random."""

import random
import uuid
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class OfGroups:
    def __init__(self, groups, batches):
        self.groups = groups
        self.batches = batches

    def __len__(self):
        return self.batches

    def __iter__(self):
        for _ in range(self.batches):
            batch = []
            for group in random.sample(sorted(self.groups), 3):
                batch += self.groups[group]
            yield batch


folder = Path("runs", uuid.uuid4().hex[:6])
folder.mkdir(parents=True)
torch.manual_seed(0)
random.seed(0)
x = torch.randn(60, 6)
data = TensorDataset(x, x.sum(1, keepdim=True))
groups = {name: list(range(5 * name, 5 * name + 5)) for name in range(12)}
model = nn.Linear(6, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for features, target in DataLoader(data, batch_sampler=OfGroups(groups, 20)):
    loss = (model(features) - target).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.save(model.state_dict(), folder / "last.pt")
