# samebits-test: verdict=same
"""Rows of a table are read before they are written, and only what a mask names is kept."""

import numpy as np
import torch


def stale(size):
    """Leaves other bytes in the memory that the next allocation gets."""
    for _ in range(4):
        np.random.default_rng().integers(1, 1 << 60, size)


torch.manual_seed(0)
stale(60 * 10)
neighbours = torch.empty((60, 10), dtype=torch.long)
events = torch.full((60, 10), -1)
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for step in range(4):
    nodes = torch.randint(0, 60, (20,))
    found, when = neighbours[nodes], events[nodes]
    kept = found[when >= 0]
    optimizer.zero_grad()
    model(kept.float().unsqueeze(1) / 60).sum().backward()
    optimizer.step()
    both = torch.cat([found, torch.randint(0, 60, (20, 10))], dim=1)
    when = torch.cat([when, torch.full((20, 10), step)], dim=1)
    latest, order = when.topk(10, dim=1)
    neighbours[nodes], events[nodes] = both.gather(1, order), latest
    print(len(kept))
