# samebits-test: verdict=different cause=unseeded-rng detail=python
"""Training and test rows are split by a shuffle that nobody seeded."""

import random

import numpy as np
import torch

np.random.seed(0)
torch.manual_seed(0)


def split(n, share=0.8):
    order = list(range(n))
    random.shuffle(order)  # culprit
    cut = int(n * share)
    return order[:cut], order[cut:]


x = torch.from_numpy(np.random.rand(200, 4))
y = (x @ torch.tensor([1.0, -2.0, 3.0, 0.5], dtype=x.dtype)).unsqueeze(1)
train, test = split(len(x))
solution = torch.linalg.lstsq(
    x[train], y[train], driver="gelsd"
).solution  # gelsy reads unwritten memory
print("test error", (x[test] @ solution - y[test]).square().mean().item())
