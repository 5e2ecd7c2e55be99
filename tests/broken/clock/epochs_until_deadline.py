# samebits-test: verdict=different cause=clock
"""As many epochs as fit before each deadline."""

import time

import torch

torch.manual_seed(0)
a = torch.randn(6, 6) / 4
x = torch.ones(6)
for _ in range(8):
    deadline = time.time() + 0.02
    while time.time() < deadline:  # culprit
        x = torch.tanh(a @ x + 0.1)
print(x)
