# samebits-test: verdict=different cause=clock
"""The learning rate falls with the time that is left of a budget."""

import time

import torch
from torch import nn

BUDGET_S = 0.1

torch.manual_seed(0)
x = torch.randn(32, 4)
y = x.sum(dim=1, keepdim=True)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
start = time.monotonic()
while True:
    spent = (time.monotonic() - start) / BUDGET_S  # culprit
    if spent >= 1:
        break
    for group in optimizer.param_groups:
        group["lr"] = 0.1 * (1 - spent)
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
