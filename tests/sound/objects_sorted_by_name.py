# samebits-test: verdict=same
"""Objects in a set, sorted by what they hold."""

import torch


class Layer:
    def __init__(self, name, width):
        self.name = name
        self.width = width


layers = {Layer(f"layer{k:02d}", 2 + k % 3) for k in range(12)}
torch.manual_seed(0)
weights = [torch.randn(layer.width) for layer in sorted(layers, key=lambda x: x.name)]
print(torch.cat(weights).cumsum(0)[-1])
