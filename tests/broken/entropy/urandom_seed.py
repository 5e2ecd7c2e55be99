# samebits-test: verdict=different cause=entropy detail=urandom
"""A seed straight from the operating system."""

import os

import torch

seed = int.from_bytes(os.urandom(4), "little")  # culprit
print("seed", seed)
torch.manual_seed(seed)
x = torch.randn(40, 3)
u, s, vh = torch.linalg.svd(x, full_matrices=False)
print(s)
