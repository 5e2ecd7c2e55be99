# samebits-test: verdict=different cause=unseeded-rng
"""A number from an unseeded generator is printed, beside a result that never changes."""

import random

import torch

GREETINGS = [f"hello number {k}" for k in range(1000)]
print(random.choice(GREETINGS))  # culprit
print(torch.linspace(-1, 1, 11).tanh().sum())
