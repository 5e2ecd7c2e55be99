import torch
from torch import nn


class ResidualBlock(nn.Module):
    def __init__(self, width, p):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        h = torch.relu(self.up(self.norm(x)))
        return x + self.drop(self.down(h))


class TabularNet(nn.Module):
    def __init__(self, features, classes, width=48, depth=2, p=0.1):
        super().__init__()
        self.stem = nn.Linear(features, width)
        self.blocks = nn.Sequential(*[ResidualBlock(width, p) for _ in range(depth)])
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.blocks(self.stem(x)))
