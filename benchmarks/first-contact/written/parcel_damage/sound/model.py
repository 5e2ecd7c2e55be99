import torch
from torch import nn


class DamageNet(nn.Module):
    def __init__(self, numbers, sizes, width=48):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(size, 6) for size in sizes)
        self.body = nn.Sequential(
            nn.Linear(numbers + 6 * len(sizes), width), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1),
        )

    def forward(self, numbers, names):
        looked_up = [table(names[:, at]) for at, table in enumerate(self.tables)]
        return self.body(torch.cat([numbers, *looked_up], dim=1)).squeeze(1)
