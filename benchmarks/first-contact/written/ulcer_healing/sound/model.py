import torch
from torch import nn


class HealingNet(nn.Module):
    def __init__(self, n_features: int, hidden: int = 24):
        super().__init__()
        self.rnn = nn.GRU(n_features, hidden, batch_first=True)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, h = self.rnn(x)
        return self.out(self.drop(h[-1])).squeeze(-1)
