# samebits-test: verdict=different cause=unseeded-rng detail=numpy-generator
"""Streams for each fold, spawned from a sequence without entropy of its own."""

import numpy as np
import torch

root = np.random.SeedSequence()  # culprit
streams = [np.random.default_rng(child) for child in root.spawn(4)]

x = torch.linspace(-1, 1, 80, dtype=torch.float64).reshape(40, 2)
y = x.sum(dim=1)
errors = []
for fold, stream in enumerate(streams):
    rows = torch.from_numpy(stream.choice(len(x), size=30, replace=False))
    w = torch.linalg.pinv(x[rows]) @ y[rows]
    errors.append((x @ w - y).abs().max() + fold * w.norm())
print(torch.stack(errors))
