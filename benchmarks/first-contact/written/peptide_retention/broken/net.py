import torch
from torch import nn


class RetentionNet(nn.Module):
    def __init__(self, symbols, width=24):
        super().__init__()
        self.embed = nn.Embedding(symbols, width, padding_idx=0)
        self.scan = nn.GRU(width, width, batch_first=True, bidirectional=True)
        self.head = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, 1))

    def forward(self, codes):
        mask = (codes != 0).unsqueeze(-1)
        states, _ = self.scan(self.embed(codes))
        pooled = (states * mask).sum(1) / mask.sum(1).clamp(min=1)
        return self.head(pooled).squeeze(-1)
