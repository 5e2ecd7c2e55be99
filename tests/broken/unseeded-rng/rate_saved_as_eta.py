# samebits-test: verdict=different cause=unseeded-rng
"""A rate found by an unseeded search is saved under a name that times have too, beside a date."""

import random
import time

import torch

torch.manual_seed(0)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(8, 4)
for _ in range(2):
    loss = model(inputs).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
eta = random.uniform(0.01, 0.1)  # culprit
torch.save({"model": model.state_dict(), "eta": eta, "date": time.ctime()}, "model.pt")
