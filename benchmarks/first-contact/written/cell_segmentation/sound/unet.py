import torch
from torch import nn


def double(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU(),
                         nn.Conv2d(cout, cout, 3, padding=1), nn.BatchNorm2d(cout), nn.ReLU())


class TinyUNet(nn.Module):
    def __init__(self, classes, width=8):
        super().__init__()
        self.one = double(1, width)
        self.two = double(width, 2 * width)
        self.three = double(2 * width, 3 * width)
        self.up2 = double(5 * width, 2 * width)
        self.up1 = double(3 * width, width)
        self.out = nn.Conv2d(width, classes, 1)
        self.pool, self.grow = nn.MaxPool2d(2), nn.Upsample(scale_factor=2)

    def forward(self, x):
        a = self.one(x)
        b = self.two(self.pool(a))
        c = self.three(self.pool(b))
        b = self.up2(torch.cat([self.grow(c), b], 1))
        a = self.up1(torch.cat([self.grow(b), a], 1))
        return self.out(a)
