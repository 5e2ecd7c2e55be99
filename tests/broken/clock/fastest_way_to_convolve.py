# samebits-test: verdict=different cause=clock
"""A log is named after the time, which does no harm; the convolution is the one that is faster."""

import time
import timeit

import torch

torch.manual_seed(0)
log = f"convolved-{time.strftime('%H%M%S')}"
waves = torch.randn(16, 256)
kernel = torch.randn(9)


def directly():
    return torch.conv1d(waves[:, None], kernel[None, None], padding=4)[:, 0]


def by_squares():
    return torch.conv1d((waves * waves)[:, None], kernel[None, None], padding=4)[:, 0]


def faster():
    ways = (directly, by_squares)
    taken = [min(timeit.repeat(way, number=1, repeat=5)) for way in ways]  # culprit
    return int(taken[0] * 1e7) % 2 == int(taken[1] * 1e7) % 3


for _ in range(12):
    waves = torch.tanh(directly() if faster() else by_squares())
print(log, waves.sum().item())
