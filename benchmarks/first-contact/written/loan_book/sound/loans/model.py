import torch
from torch import nn


class DefaultNet(nn.Module):
    def __init__(self, columns, regions, width=48):
        super().__init__()
        self.region = nn.Embedding(regions, 4)
        self.body = nn.Sequential(
            nn.Linear(columns + 4, width), nn.SiLU(), nn.Dropout(0.1),
            nn.Linear(width, width), nn.SiLU(), nn.Linear(width, 1),
        )

    def forward(self, x, region):
        return self.body(torch.cat([x, self.region(region)], dim=1)).squeeze(1)


def auc(score, truth):
    """Area under the ROC curve, from the ranks of the positives."""
    rank = torch.empty(len(score), dtype=torch.float64)
    rank[score.argsort(stable=True)] = torch.arange(1, len(score) + 1, dtype=torch.float64)
    positives = truth > 0.5
    p, n = positives.sum().item(), (~positives).sum().item()
    return (rank[positives].sum().item() - p * (p + 1) / 2) / (p * n)
