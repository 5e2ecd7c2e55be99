"""Temperatures down a borehole, hour by hour, as the loggers send them."""
import math

import torch

WIDTH = 20
DEPTH = torch.linspace(0.1, 12.0, WIDTH)


def readings(n, seed, chunk=500):
    """Chunks of profiles: yearly and daily waves that fade with depth, snow, and noise."""
    gen = torch.Generator().manual_seed(seed)
    snow = 0.0
    for first in range(0, n, chunk):
        hour = torch.arange(first, min(first + chunk, n))[:, None] * 1.0
        snow = 0.8 * snow + 0.2 * torch.rand((), generator=gen).item()
        year = 2 * math.pi * hour / 8766.0
        day = 2 * math.pi * hour / 24.0
        profile = -4.0 + 0.03 * DEPTH + 0.0
        profile = profile + (14 - 8 * snow) * torch.exp(-DEPTH / 2.6) * torch.sin(year - DEPTH / 2.6)
        profile = profile + 4.0 * torch.exp(-DEPTH / 0.14) * torch.sin(day - DEPTH / 0.14)
        weather = 1.5 * torch.randn(len(hour), 1, generator=gen) * torch.exp(-DEPTH / 0.8)
        yield profile + weather + 0.05 * torch.randn(len(hour), WIDTH, generator=gen)
