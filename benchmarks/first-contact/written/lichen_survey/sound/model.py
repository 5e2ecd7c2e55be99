import torch
from torch import nn


class AirFromLichens(nn.Module):
    def __init__(self, terms, width=32):
        super().__init__()
        self.bag = nn.EmbeddingBag(terms, width, mode="mean")
        self.head = nn.Sequential(nn.Linear(width, 48), nn.ReLU(), nn.Dropout(0.1), nn.Linear(48, 1))

    def forward(self, flat, offsets):
        return self.head(self.bag(flat, offsets)).squeeze(1)


def collate(items):
    flat, offsets, target = [], [], []
    for terms, air in items:
        offsets.append(len(flat))
        flat.extend(terms)
        target.append(air)
    return torch.tensor(flat), torch.tensor(offsets), torch.tensor(target, dtype=torch.float32)


def r_squared(predicted, target):
    residual = ((predicted - target) ** 2).sum()
    return 1.0 - (residual / ((target - target.mean()) ** 2).sum()).item()
