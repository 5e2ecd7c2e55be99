# samebits-test: verdict=same
"""id() as the key of a cache."""

import torch
from torch import nn

norms = {}


def norm_of(module):
    if id(module) not in norms:
        norms[id(module)] = module.weight.norm()
    return norms[id(module)]


torch.manual_seed(0)
layers = [nn.Linear(3, 3) for _ in range(4)]
print(sum(norm_of(layer) for layer in layers + layers[::-1]))
