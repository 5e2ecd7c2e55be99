# samebits-test: vary=threads cause=thread-count
"""Losses over large batches: each mean is a sum over all elements."""

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return x * self.scale


def loss_of(model, noisy, clean):
    parts = zip(noisy.split(64), clean.split(64), strict=True)
    return sum((model(x) - y).square().mean() for x, y in parts)  # culprit


torch.manual_seed(0)
model = Denoiser()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
clean = torch.randn(1024, 1024)
noisy = clean + 0.1 * torch.randn_like(clean)
for _ in range(2):
    loss = loss_of(model, noisy, clean)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
