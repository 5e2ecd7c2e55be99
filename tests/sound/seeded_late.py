# samebits-test: verdict=same
"""The seed comes late, and before any draw."""

import torch
from torch import nn


def load(n):
    return torch.linspace(-1, 1, n).unsqueeze(1)


x = load(32)
y = torch.where(x > 0, x, 0.1 * x)
x = (x - x.mean()) / x.std()

torch.manual_seed(11)
model = nn.Sequential(nn.Linear(1, 8), nn.Tanh(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
