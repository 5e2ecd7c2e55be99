# samebits-test: vary=threads cause=thread-count
"""The norm of one large gradient, taken by hand, scales the update."""

import torch
from torch import nn


def clip(parameter, limit):
    norm = parameter.grad.square().sum().sqrt()  # culprit
    parameter.grad.mul_((limit / norm).clamp(max=1))
    return norm


torch.manual_seed(0)
weight = nn.Parameter(torch.rand(2_000_000))
optimizer = torch.optim.SGD([weight], lr=1.0)
weight.grad = torch.rand(2_000_000) - weight.detach()
norm = clip(weight, limit=1.0)
optimizer.step()
print(norm.item())
