# samebits-test: verdict=same
"""A loader that shuffles by a seeded generator; the global one is not needed."""

import torch
from torch.utils.data import DataLoader

generator = torch.Generator().manual_seed(5)
loader = DataLoader(torch.arange(32.0), batch_size=8, shuffle=True, generator=generator)
state = torch.zeros(())
for _ in range(2):
    for batch in loader:
        state = torch.tanh(state + batch.diff().mean())
print(state)
