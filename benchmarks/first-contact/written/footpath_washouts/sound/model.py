import torch
from torch import nn


class GraphNet(nn.Module):
    def __init__(self, n_in: int, width: int = 64, rounds: int = 3):
        super().__init__()
        self.enter = nn.Linear(n_in, width)
        self.own = nn.ModuleList(nn.Linear(width, width) for _ in range(rounds))
        self.near = nn.ModuleList(nn.Linear(width, width, bias=False) for _ in range(rounds))
        self.leave = nn.Sequential(nn.Dropout(0.3), nn.Linear(width, 2))

    def forward(self, x: torch.Tensor, mean: torch.Tensor) -> torch.Tensor:
        h = self.enter(x).relu()
        for own, near in zip(self.own, self.near):
            h = h + (own(h) + near(mean @ h)).relu()
        return self.leave(h)
