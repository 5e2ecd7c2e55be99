# samebits-test: verdict=same
"""Evaluation draws inside fork_rng, seeded there, and leaves training alone."""

import torch
from torch import nn


def evaluate(model):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(99)
        return model(torch.randn(16, 4)).var().item()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    loss = model(torch.randn(8, 4)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 2:
        print(step, evaluate(model))
