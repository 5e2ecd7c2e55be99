import math

import torch
from torch import nn

from dunes import LENGTH


class Coupling(nn.Module):
    def __init__(self, flip, width):
        super().__init__()
        self.flip, half = flip, LENGTH // 2
        self.net = nn.Sequential(nn.Linear(half, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(),
                                 nn.Linear(width, 2 * half))
        nn.init.zeros_(self.net[-1].weight)
        nn.init.zeros_(self.net[-1].bias)

    def _halves(self, x):
        a, b = x[:, ::2], x[:, 1::2]
        return (b, a) if self.flip else (a, b)

    def _join(self, a, b):
        a, b = (b, a) if self.flip else (a, b)
        return torch.stack([a, b], dim=2).flatten(1)

    def forward(self, x):
        a, b = self._halves(x)
        scale, shift = self.net(a).chunk(2, dim=1)
        scale = scale.tanh()
        return self._join(a, b * scale.exp() + shift), scale.sum(1)

    def inverse(self, z):
        a, b = self._halves(z)
        scale, shift = self.net(a).chunk(2, dim=1)
        return self._join(a, (b - shift) * (-scale.tanh()).exp())


class DuneFlow(nn.Module):
    def __init__(self, layers=6, width=48):
        super().__init__()
        self.layers = nn.ModuleList(Coupling(i % 2 == 1, width) for i in range(layers))

    def log_prob(self, x):
        total = 0.0
        for layer in self.layers:
            x, log_det = layer(x)
            total = total + log_det
        return total - 0.5 * (x.square() + math.log(2 * math.pi)).sum(1)

    def decode(self, z):
        for layer in reversed(self.layers):
            z = layer.inverse(z)
        return z
