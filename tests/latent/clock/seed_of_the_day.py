# samebits-test: vary=clock cause=clock
"""All runs of one month share a seed, so that they can be compared."""

import random
import time

import torch
from torch import nn


def monthly_seed():
    return int(time.strftime("%Y%m"))  # culprit


random.seed(monthly_seed())
torch.manual_seed(0)
rows = list(range(40))
random.shuffle(rows)
x = torch.linspace(0, 1, 40)[rows].view(-1, 4)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in x.split(2):
    loss = model(batch).square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
