# samebits-test: verdict=same
"""A pause is drawn without a seed, and only how long the script took goes by it."""

import random
import time

import torch

began = time.perf_counter()
torch.manual_seed(0)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(5):
    time.sleep(random.uniform(0, 0.01))  # the file server does not like to be asked in step
    batch = time.perf_counter()
    loss = (net(torch.randn(16, 4)) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.6f}, {1000 * (time.perf_counter() - batch):.2f} ms")
print(f"took {time.perf_counter() - began:.3f} s")
