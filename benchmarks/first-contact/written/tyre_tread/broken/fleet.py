"""Simulated tyre records of a lorry fleet: tread left after a season, from how it was driven."""
from __future__ import annotations

import torch

FEATURES = 20


def season(records: int, seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(records, FEATURES, generator=gen)
    pressure, load, heat, km = x[:, 0], x[:, 1], x[:, 2], x[:, 3]
    under = torch.relu(-pressure) * (1.0 + 0.5 * torch.relu(load))
    wear = 0.9 * km + 0.6 * under + 0.4 * torch.sigmoid(2 * heat) * km + 0.2 * torch.sin(2 * x[:, 4]) * load
    wear = wear + 0.15 * x[:, 5:9].sum(1) + 0.1 * torch.randn(records, generator=gen)
    return x, (8.0 - wear)[:, None]
