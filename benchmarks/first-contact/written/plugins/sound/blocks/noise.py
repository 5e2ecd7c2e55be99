import torch
from torch import nn

from .registry import block


@block
class Noise(nn.Module):
    """Adds noise of some percent of the signal, in training only."""

    def __init__(self, width, percent=5):
        super().__init__()
        self.percent = percent

    def forward(self, x):
        if not self.training:
            return x
        return x + self.percent / 100 * x.detach().std() * torch.randn_like(x)
