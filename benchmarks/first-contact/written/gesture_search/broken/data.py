import math

import torch


def make_windows(n, channels, window, classes, seed=8):
    """IMU windows: every gesture is a motif of its own frequency, phase per channel and envelope."""
    gen = torch.Generator().manual_seed(seed)
    t = torch.linspace(0, 1, window)
    y = torch.randint(classes, (n,), generator=gen)
    phase = torch.rand(classes, channels, generator=gen) * 2 * math.pi
    gain = torch.rand(classes, channels, generator=gen) + 0.2
    tempo = 0.8 + 0.4 * torch.rand(n, 1, 1, generator=gen)
    freq = (2 + 1.5 * y).view(-1, 1, 1) * tempo
    motion = gain[y].unsqueeze(-1) * torch.sin(2 * math.pi * freq * t + phase[y].unsqueeze(-1))
    return motion + 0.8 * torch.randn(n, channels, window, generator=gen), y
