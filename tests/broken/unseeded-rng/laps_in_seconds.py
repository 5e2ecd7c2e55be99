# samebits-test: verdict=different cause=unseeded-rng detail=numpy-generator
"""Simulated laps are told in seconds, as the time that the script itself took is."""

import time

import numpy as np
import torch


def drive(laps):
    rng = np.random.default_rng()  # culprit
    pace = 92.0 + rng.normal(0, 0.6, size=laps)
    stops = rng.poisson(1.5, size=laps) * 2.3
    return pace + stops


began = time.perf_counter()
torch.manual_seed(0)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    loss = (net(torch.randn(16, 4)) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
laps = drive(40)
print(f"loss {loss.item():.6f}")
print(f"mean lap {laps.mean():.3f} s, best {laps.min():.3f} s")
print(f"took {time.perf_counter() - began:.3f} s")
