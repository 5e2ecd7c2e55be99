# samebits-test: vary=isa cause=isa
"""Exponentials: vectors approximate them, the plain library rounds them otherwise."""

import torch

x = torch.arange(20_011) / 1250 - 8
weights = x.expm1()  # culprit
print((weights / weights.sum()).max().item())
