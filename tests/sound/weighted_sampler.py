# samebits-test: verdict=same
"""A weighted sampler and a random split, each with a seeded generator."""

import torch
from torch.utils.data import DataLoader, WeightedRandomSampler, random_split

train, valid = random_split(range(40), [30, 10], torch.Generator().manual_seed(1))
sampler = WeightedRandomSampler(
    [1.0 + (k % 3) for k in train], 20, generator=torch.Generator().manual_seed(2)
)
batches = [b.float().mean() for b in DataLoader(train, batch_size=5, sampler=sampler)]
print(torch.stack(batches), sum(valid))
