import torch
from torch import nn


class PipeGCN(nn.Module):
    def __init__(self, inputs=5, width=48, hops=4, dropout=0.1):
        super().__init__()
        self.enter = nn.Linear(inputs, width)
        self.hops = nn.ModuleList(nn.Linear(2 * width, width) for _ in range(hops))
        self.drop = nn.Dropout(dropout)
        self.leave = nn.Linear(width, 1)

    def forward(self, x, adjacency):
        h = torch.relu(self.enter(x))
        for hop in self.hops:
            h = h + torch.relu(hop(torch.cat([h, adjacency @ h], dim=1)))
            h = self.drop(h)
        return self.leave(h).squeeze(1)
