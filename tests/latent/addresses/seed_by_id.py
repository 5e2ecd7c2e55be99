# samebits-test: vary=addresses cause=address-order aslr=off env=PYTHONHASHSEED=0
"""The id of a module picks its noise."""

import torch
from torch import nn


class Noise(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale
        self.seed = id(self) % 100_003  # culprit

    def forward(self, x):
        generator = torch.Generator().manual_seed(self.seed)
        return x + self.scale * torch.randn(x.shape, generator=generator)


print(Noise(0.1)(torch.ones(5)))
