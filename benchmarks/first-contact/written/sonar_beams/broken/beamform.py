"""Conventional beam power over a fan of bearings, from the covariance of the array."""
import math

import torch

SPACING, SPEED, RATE, BAND = 0.75, 1500.0, 4000.0, 900.0
FAN = torch.linspace(-80.0, 80.0, 96)


def covariance(signal, block):
    """Sum of outer products over the recording, block by block."""
    total = torch.zeros(len(signal), len(signal), dtype=signal.dtype)
    for part in signal.split(block, dim=1):
        total += part @ part.mH
    return total / signal.shape[1]


def steering(sensors):
    at = torch.arange(sensors) * SPACING
    delay = at[:, None] * torch.sin(torch.deg2rad(FAN)) / SPEED
    return torch.polar(torch.ones_like(delay), -2 * math.pi * BAND * delay)


def beam_map(signal, block):
    r = covariance(signal, block)
    s = steering(len(signal))
    power = torch.einsum("sf,st,tf->f", s.conj(), r, s).real / len(signal)
    return power.clamp_min(1e-6).log()
