# samebits-test: verdict=same
"""A limit on time that no run ever comes near."""

import time

import torch

x = torch.linspace(0.1, 0.9, 5)
started = time.time()
steps = 0
while steps < 20:
    if time.time() - started > 3600:
        raise TimeoutError("an hour is over")
    x = 3.7 * x * (1 - x)
    steps += 1
print(steps, x)
