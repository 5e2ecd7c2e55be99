# samebits-test: verdict=same
"""A line is printed at most every few hundredths of a second: which losses it shows varies."""

import time

import torch

torch.manual_seed(0)
net = torch.nn.Linear(64, 64)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
spoke = time.monotonic()
for step in range(120):
    loss = net(torch.randn(64, 64)).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    now = time.monotonic()
    if now - spoke >= 0.02:
        spoke = now
        print(f"step {step}: loss {loss.item():.4f}")
print("weights", net.weight.sum().item())
