# samebits-test: verdict=different cause=clock
"""The seed is the time of day."""

import time

import torch

torch.manual_seed(int(time.time()))  # culprit
x = torch.randn(50, 2)
inside = (x.square().sum(dim=1) < 1).float().mean()
print("share inside", inside.item())
