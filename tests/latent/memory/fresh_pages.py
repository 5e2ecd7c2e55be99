# samebits-test: vary=memory cause=uninitialized-memory
"""A large torch.empty is zeros, for as long as the system hands out new pages."""

import torch

total = torch.empty(9_000_000)  # culprit
total += 1
print(total.max().item())
