# samebits-test: vary=isa cause=isa
"""Exponentials: vectors approximate them, the plain library rounds them otherwise."""

import torch

x = torch.linspace(-8, 8, 20_011)
weights = x.exp()  # culprit
print((weights / weights.sum()).max().item())
