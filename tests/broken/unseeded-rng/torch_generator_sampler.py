# samebits-test: verdict=different cause=unseeded-rng detail=torch-generator
"""The sampler has a generator of its own, seeded from the system."""

import torch
from torch.utils.data import DataLoader, WeightedRandomSampler

torch.manual_seed(0)
generator = torch.Generator()
generator.seed()  # culprit
weights = torch.linspace(1, 2, 50)
sampler = WeightedRandomSampler(weights.tolist(), 40, generator=generator)
total = torch.zeros(())
for values in DataLoader(torch.arange(50.0), batch_size=10, sampler=sampler):
    total = 0.9 * total + values.std()
print(total)
