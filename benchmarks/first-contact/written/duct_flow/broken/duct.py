"""Slow flow through a rectangular duct, from the Fourier series of the exact solution."""
import math

import torch


def velocity(y, z, aspect, terms=12):
    """Speed at (y, z), both from -1 to 1, in a duct that is `aspect` times as wide as high."""
    total = torch.zeros_like(y)
    for term in range(terms):
        odd = 2 * term + 1
        wave = odd * math.pi / 2
        shape = 1 - torch.cosh(wave * aspect * y) / torch.cosh(wave * aspect)
        total = total + (-1) ** term / odd**3 * shape * torch.cos(wave * z)
    return total * 16 / math.pi**3


def sample(count, generator):
    y, z = (2 * torch.rand(2, count, generator=generator, dtype=torch.float64) - 1).unbind()
    aspect = 0.5 + 2.5 * torch.rand(count, generator=generator, dtype=torch.float64)
    speed = velocity(y, z, aspect)
    return torch.stack([y, z, aspect - 1.75], dim=1).float(), speed.float()
