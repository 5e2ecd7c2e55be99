# samebits-test: verdict=same
"""Sleeping changes when things happen, not what."""

import time

import torch

x = torch.eye(3)
for k in range(3):
    time.sleep(0.001 * k)
    x = x @ (torch.eye(3) + 0.1 * k)
print(x.trace())
