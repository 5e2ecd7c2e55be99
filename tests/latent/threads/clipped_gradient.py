# samebits-test: vary=threads cause=thread-count
"""The size of large gradients, taken by hand, scales the update."""

import torch
from torch import nn


def clip(parameters, limit):
    size = sum(parameter.grad.abs().sum() for parameter in parameters)  # culprit
    for parameter in parameters:
        parameter.grad.mul_((limit / size).clamp(max=1))
    return size


torch.manual_seed(0)
parameters = [nn.Parameter(torch.rand(100_000)) for _ in range(16)]
optimizer = torch.optim.SGD(parameters, lr=1.0)
for parameter in parameters:
    parameter.grad = torch.rand(100_000) - parameter.detach()
size = clip(parameters, limit=1.0)
optimizer.step()
print(size.item())
