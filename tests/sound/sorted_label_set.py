# samebits-test: verdict=same
"""Class numbers from a sorted set of names."""

import torch

names = [f"species-{k % 13}" for k in range(52)]
label_of = {name: number for number, name in enumerate(sorted(set(names)))}
labels = torch.tensor([label_of[name] for name in names])
print(torch.bincount(labels).tolist())
