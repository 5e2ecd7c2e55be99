# samebits-test: verdict=different cause=unseeded-rng
"""random_split is given a generator, seeded by whatever seed torch began with."""

import torch
from torch.utils.data import TensorDataset, random_split

generator = torch.Generator()
generator.manual_seed(torch.initial_seed())  # culprit

x = torch.linspace(0, 1, 100, dtype=torch.float64)
train, valid = random_split(TensorDataset(x, x.sin()), [80, 20], generator=generator)
slope = torch.stack([y / (v + 1) for v, y in train]).mean()
error = sum((slope * v - y).abs() for v, y in valid)
print(slope.item(), error.item())
