# samebits-test: verdict=same
"""The first run prepares the data and keeps them; those after it find them."""

from pathlib import Path

import torch
from torch import nn

KEPT = Path("prepared.pt")


def prepared():
    if not KEPT.exists():
        rows = torch.linspace(-3, 3, 120).reshape(30, 4)
        rows = (rows - rows.mean(dim=0)) / rows.std(dim=0)
        print("prepared", len(rows), "rows")
        torch.save(rows, KEPT)
    return torch.load(KEPT)


torch.manual_seed(3)
x = prepared()
model = nn.Linear(4, 1)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(4):
    loss = nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
