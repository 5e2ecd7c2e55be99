# samebits-test: verdict=different cause=address-order
"""A seed for each layer, unique since no two layers share an id."""

import torch
from torch import nn


def initialise(layer):
    generator = torch.Generator().manual_seed(id(layer) % 2**31)  # culprit
    with torch.no_grad():
        layer.weight.normal_(generator=generator)
        layer.bias.zero_()


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
for layer in model:
    if isinstance(layer, nn.Linear):
        initialise(layer)
print(model(torch.ones(3, 4)).sum())
