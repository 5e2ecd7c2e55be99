"""Delivery times as a log-Laplace distribution."""

import torch
from torch import nn


class EtaModel(nn.Module):
    def __init__(self, zones, dense=8, width=64):
        super().__init__()
        self.zone = nn.Embedding(zones, 8)
        self.body = nn.Sequential(
            nn.Linear(dense + 16, width),
            nn.SiLU(),
            nn.Linear(width, width),
            nn.SiLU(),
            nn.Linear(width, 2),
        )

    def forward(self, zones, dense):
        inputs = torch.cat([self.zone(zones).flatten(1), dense], dim=1)
        centre, spread = self.body(inputs).unbind(dim=1)
        return 2.5 + centre, spread.clamp(-4.0, 2.0)


def laplace_loss(centre, spread, minutes):
    error = (minutes.log() - centre).abs()
    return (error * (-spread).exp() + spread).mean()
