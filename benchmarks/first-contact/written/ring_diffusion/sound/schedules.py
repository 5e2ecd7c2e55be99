"""How much of the signal is left at a time between 0 and 1."""
import math

import torch


def linear(t):
    return torch.exp(-0.1 * t - 4.9 * t ** 2)


def cosine(t, offset=0.008):
    f = torch.cos((t + offset) / (1 + offset) * math.pi / 2) ** 2
    return (f / math.cos(offset / (1 + offset) * math.pi / 2) ** 2).clamp(1e-4, 0.9999)


SCHEDULES = {"linear": linear, "cosine": cosine}
