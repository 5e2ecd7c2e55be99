# samebits-test: verdict=different cause=unseeded-rng
"""The first run prepares the data; that the model is not seeded shows in every one."""

from pathlib import Path

import torch
from torch import nn

KEPT = Path("prepared.pt")


def prepared():
    if not KEPT.exists():
        rows = torch.linspace(-3, 3, 120).reshape(30, 4)
        torch.save((rows - rows.mean(dim=0)) / rows.std(dim=0), KEPT)
    return torch.load(KEPT)


x = prepared()
model = nn.Linear(4, 1)  # culprit
print(nn.functional.mse_loss(model(x), x.sum(dim=1, keepdim=True)).item())
