# samebits-test: verdict=same
"""Each epoch prints how long it took."""

import time

import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    start = time.perf_counter()
    loss = (model(torch.randn(16, 4)) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"epoch {epoch} loss {loss.item():.4f} took {time.perf_counter() - start:.6f} s")
