# samebits-test: verdict=different cause=clock
"""Python's generator is seeded with the time, and its numbers are printed alone."""

import random
import time

import torch

random.seed(time.time_ns())  # culprit
total = torch.linspace(-1, 1, 11).tanh().sum()
print(sorted(random.sample(range(1000), 6)), total.item())
