# samebits-test: verdict=same
"""Futures are kept in a list and asked one after another."""

from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


def load(number):
    return [number / (k + 1) for k in range(4)]


with ThreadPoolExecutor(3) as pool:
    futures = [pool.submit(load, number) for number in range(24)]
    x = torch.tensor([future.result() for future in futures])
torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for batch in x.split(6):
    loss = model(batch).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
