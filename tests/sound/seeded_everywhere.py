# samebits-test: verdict=same
"""Python, NumPy and torch, all seeded at the start."""

import random

import numpy as np
import torch
from torch import nn


def seed_everything(seed):
    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)


seed_everything(1234)
model = nn.Sequential(nn.Linear(6, 12), nn.Dropout(0.2), nn.ReLU(), nn.Linear(12, 2))
optimizer = torch.optim.Adam(model.parameters())
data = np.random.rand(40, 6).astype(np.float32)
for _ in range(4):
    rows = random.sample(range(40), 10)
    loss = model(torch.from_numpy(data[rows])).logsumexp(dim=1).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
