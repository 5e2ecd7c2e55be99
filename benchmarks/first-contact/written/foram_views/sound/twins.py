import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, features, projected):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(1, 12, 3, stride=2, padding=1), nn.BatchNorm2d(12), nn.ReLU(),
            nn.Conv2d(12, 24, 3, stride=2, padding=1), nn.BatchNorm2d(24), nn.ReLU(),
            nn.Flatten(), nn.Linear(24 * 36, features),
        )
        self.projector = nn.Sequential(nn.BatchNorm1d(features), nn.ReLU(), nn.Linear(features, projected))

    def forward(self, x):
        return self.projector(self.body(x))


def redundancy_loss(a, b, off_weight=0.01):
    a = (a - a.mean(0)) / (a.std(0) + 1e-5)
    b = (b - b.mean(0)) / (b.std(0) + 1e-5)
    cross = a.T @ b / len(a)
    on = (cross.diagonal() - 1).square().sum()
    off = cross.square().sum() - cross.diagonal().square().sum()
    return on + off_weight * off
