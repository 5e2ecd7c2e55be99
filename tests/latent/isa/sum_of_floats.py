# samebits-test: vary=isa cause=isa
"""A sum of floats has as many lanes as the processor's vectors."""

import torch

torch.manual_seed(0)
x = torch.rand(4097)
total = x.sum()  # culprit
print(total.item())
