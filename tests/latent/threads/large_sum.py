# samebits-test: vary=threads cause=thread-count
"""A sum over a million numbers is cut at the number of threads."""

import torch

torch.manual_seed(0)
x = torch.rand(1_000_000)
mean = x.sum() / len(x)  # culprit
print(mean.item())
