import torch
from torch import nn


class Propagate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.own = nn.Linear(width, width)
        self.around = nn.Linear(width, width, bias=False)

    def forward(self, h, adjacency):
        return h + torch.relu(self.own(h) + self.around(adjacency @ h))


class HeatNet(nn.Module):
    def __init__(self, width=24, rounds=3):
        super().__init__()
        self.lift = nn.Linear(4, width)
        self.rounds = nn.ModuleList(Propagate(width) for _ in range(rounds))
        self.read = nn.Linear(width, 1)

    def forward(self, adjacency, features):
        h = torch.relu(self.lift(features))
        for layer in self.rounds:
            h = layer(h, adjacency)
        return self.read(h).squeeze(-1)
