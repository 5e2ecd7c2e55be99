# samebits-test: verdict=different cause=unseeded-rng detail=numpy
"""The order of the epochs comes from NumPy's global generator."""

import random

import numpy as np
import torch

random.seed(7)
torch.manual_seed(7)
x = torch.randn(96, 3)
y = x.prod(dim=1)
w = torch.zeros(3, requires_grad=True)
for _ in range(3):
    order = np.random.permutation(len(x))  # culprit
    for batch in np.array_split(order, 6):
        loss = (x[batch] @ w - y[batch]).square().mean()
        (grad,) = torch.autograd.grad(loss, w)
        with torch.no_grad():
            w -= 0.05 * grad
print(w.tolist())
