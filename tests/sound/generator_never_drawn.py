# samebits-test: verdict=same
"""Generators without a seed, made and never asked for a number."""

import random

import numpy as np
import torch


class Augmenter:
    def __init__(self, rate, rng=None):
        self.rate = rate
        self.rng = rng or np.random.default_rng()
        self.fallback = random.Random()

    def __call__(self, x):
        return x * (1 + self.rng.random()) if self.rate > 0 else x


augment = Augmenter(rate=0.0)
print(augment(torch.linspace(0, 1, 9)).square().sum())
