"""Genus and radius from one patch."""
import torch
from torch import nn


def block(cin: int, cout: int) -> nn.Sequential:
    return nn.Sequential(
        nn.Conv2d(cin, cout, 3, padding=1), nn.GroupNorm(4, cout), nn.ReLU(), nn.MaxPool2d(2)
    )


class LichenNet(nn.Module):
    def __init__(self, genera: int, width: int = 16):
        super().__init__()
        self.trunk = nn.Sequential(block(3, width), block(width, 2 * width), block(2 * width, 2 * width))
        self.neck = nn.Sequential(nn.Flatten(), nn.Linear(2 * width * 16, 48), nn.ReLU(), nn.Dropout(0.2))
        self.genus = nn.Linear(48, genera)
        self.radius = nn.Linear(48, 1)

    def forward(self, x: torch.Tensor):
        h = self.neck(self.trunk(x))
        return self.genus(h), self.radius(h)[:, 0]
