# samebits-test: verdict=same
"""The largest and the smallest name do not depend on the order of a set."""

import torch

names = frozenset(f"user{k}" for k in range(40))
torch.manual_seed(len(max(names)) + len(min(names)))
print(torch.rand(2))
