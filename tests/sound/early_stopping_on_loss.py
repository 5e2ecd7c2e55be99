# samebits-test: verdict=same
"""Training ends when the loss no longer falls: a loop bound, but of the data."""

import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(30, 2)
y = x @ torch.tensor([[1.0], [-1.0]])
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
best, patience = float("inf"), 3
while patience:
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if loss.item() < best - 1e-2:
        best = loss.item()
    else:
        patience -= 1
print(best)
