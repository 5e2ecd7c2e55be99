# samebits-test: verdict=different cause=entropy
"""A shuffle by SystemRandom; random.seed means nothing to it."""

import random

import torch
from torch import nn

random.seed(0)
torch.manual_seed(0)
shuffler = random.SystemRandom()

x = torch.randn(60, 4)
y = (x[:, 0] * x[:, 1]).unsqueeze(1)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(2):
    rows = list(range(len(x)))
    shuffler.shuffle(rows)  # culprit
    for k in range(0, len(rows), 20):
        chosen = rows[k : k + 20]
        loss = nn.functional.mse_loss(model(x[chosen]), y[chosen])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
