# samebits-test: verdict=same
"""A NumPy generator with a seed, handed from function to function."""

import numpy as np
import torch


def make_data(rng, n):
    return torch.from_numpy(rng.standard_normal((n, 3)))


def bootstrap(rng, x):
    return x[torch.from_numpy(rng.integers(len(x), size=len(x)))].mean(dim=0)


rng = np.random.default_rng(2024)
x = make_data(rng, 50)
print(torch.stack([bootstrap(rng, x) for _ in range(10)]).std(dim=0))
