import torch
from torch import nn


class DangerNet(nn.Module):
    """GRU over the last days at a station, ordinal output for the danger level."""

    def __init__(self, features, hidden=40, levels=4, dropout=0.1):
        super().__init__()
        self.inp = nn.Sequential(nn.Linear(features, hidden), nn.LayerNorm(hidden), nn.GELU())
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.score = nn.Linear(hidden, 1)
        self.cuts = nn.Parameter(torch.linspace(-1.5, 1.5, levels - 1))

    def forward(self, x):
        h, _ = self.gru(self.inp(x))
        score = self.score(self.drop(h[:, -1]))
        return score - self.cuts


def ordinal_loss(logits, level):
    steps = torch.arange(logits.shape[1])
    target = (level[:, None] > steps).float()
    return nn.functional.binary_cross_entropy_with_logits(logits, target)


def predicted_level(logits):
    return (logits > 0).sum(1)
