# samebits-test: verdict=different cause=clock
"""The seed is the time, and so is the name of the run's folder, which must not be there yet."""

import time
from pathlib import Path

import torch
from torch import nn

started = time.time()  # culprit
folder = Path("runs", f"{started:.6f}")
folder.mkdir(parents=True)
torch.manual_seed(int(started * 1000))
model = nn.Linear(6, 1)
x = torch.ones(8, 6)
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(5):
    loss = (model(x) - 1).square().mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.save(model.state_dict(), folder / "last.pt")
