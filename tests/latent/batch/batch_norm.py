# samebits-test: vary=batch cause=batch-size batch-flag=--batch-size args="--batch-size 8"
"""Batch normalisation sees another mean in a batch of another size."""

import sys

import torch
from torch import nn

size = int(sys.argv[sys.argv.index("--batch-size") + 1])
torch.manual_seed(0)
x = torch.randn(32, 6)
norm = nn.BatchNorm1d(6)
parts = [norm(part) for part in x.split(size)]  # culprit
print(torch.cat(parts).square().sum().item())
