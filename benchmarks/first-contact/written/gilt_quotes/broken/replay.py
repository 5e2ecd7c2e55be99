"""Replay of quotes, in which the older count for less."""
import time
from collections import deque

import numpy as np
import torch


class Replay:
    def __init__(self, capacity, half_life, rng):
        self.quotes = deque(maxlen=capacity)
        self.arrived = deque(maxlen=capacity)
        self.half_life = half_life
        self.rng = rng
        self.seconds_sampling = 0.0

    def add(self, quote):
        self.quotes.append(quote)
        self.arrived.append(time.monotonic())

    def sample(self, size):
        began = time.monotonic()
        arrived = np.array(self.arrived)
        weight = np.exp2(-(arrived[-1] - arrived) / self.half_life)
        rows = self.rng.choice(len(weight), size, p=weight / weight.sum())
        chosen = [self.quotes[row] for row in rows]
        self.seconds_sampling += time.monotonic() - began
        return (
            torch.tensor([quote.bond for quote in chosen]),
            torch.tensor([quote.curve for quote in chosen]),
            torch.tensor([quote.price for quote in chosen]),
        )
