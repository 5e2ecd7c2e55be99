import torch
from torch import nn


class RockNet(nn.Module):
    """Element readings of one interval, standardised, to rock classes."""

    def __init__(self, elements, classes, width=64, noise=0.1):
        super().__init__()
        self.noise = noise
        self.register_buffer("mean", torch.zeros(elements))
        self.register_buffer("std", torch.ones(elements))
        self.layers = nn.Sequential(
            nn.Linear(elements, width), nn.LayerNorm(width), nn.GELU(), nn.Dropout(0.1),
            nn.Linear(width, width), nn.GELU(), nn.Linear(width, classes),
        )

    def calibrate(self, x):
        self.mean.copy_(x.mean(0))
        self.std.copy_(x.std(0))

    def forward(self, x):
        x = (x - self.mean) / self.std
        if self.training:
            x = x + self.noise * torch.randn_like(x)
        return self.layers(x)
