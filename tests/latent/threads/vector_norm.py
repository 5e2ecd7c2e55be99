# samebits-test: vary=threads cause=thread-count
"""Clipping by the norm of one large parameter."""

import torch
from torch import nn

torch.manual_seed(0)
weight = nn.Parameter(torch.rand(2_000_000))
optimizer = torch.optim.SGD([weight], lr=1.0)
target = torch.rand(2_000_000)
weight.grad = target - weight.detach()
total = nn.utils.clip_grad_norm_([weight], max_norm=1.0)  # culprit
optimizer.step()
print(total.item())
