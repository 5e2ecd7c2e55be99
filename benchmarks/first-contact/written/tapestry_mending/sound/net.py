import torch
from torch import nn


def block(inside, outside):
    return nn.Sequential(
        nn.Conv2d(inside, outside, 3, padding=1),
        nn.BatchNorm2d(outside),
        nn.SiLU(),
    )


class Mender(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.enter = block(4, width)
        self.down = nn.Sequential(nn.MaxPool2d(2), block(width, 2 * width), block(2 * width, 2 * width))
        self.up = nn.ConvTranspose2d(2 * width, width, 2, stride=2)
        self.leave = nn.Sequential(block(2 * width, width), nn.Conv2d(width, 3, 1))

    def forward(self, damaged, mask):
        first = self.enter(torch.cat([damaged, mask], dim=1))
        deep = self.up(self.down(first))
        out = torch.sigmoid(self.leave(torch.cat([first, deep], dim=1)))
        return damaged + (1.0 - mask) * out


def hole_error(output, whole, mask):
    inside = 1.0 - mask
    return ((output - whole).abs() * inside).sum() / (3.0 * inside.sum())
