# samebits-test: vary=threads cause=thread-count
"""A loss over a large batch: its mean is a sum over all elements."""

import torch
from torch import nn


class Denoiser(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))

    def forward(self, x):
        return x * self.scale


torch.manual_seed(0)
model = Denoiser()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
clean = torch.randn(512, 1024)
noisy = clean + 0.1 * torch.randn_like(clean)
for _ in range(2):
    loss = (model(noisy) - clean).square().mean()  # culprit
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
