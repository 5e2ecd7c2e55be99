import math

import torch
from torch import nn


class MixtureOfAges(nn.Module):
    """A mixture density network: several normal distributions of the log age."""

    def __init__(self, features: int, components: int = 5, hidden: int = 64):
        super().__init__()
        self.trunk = nn.Sequential(
            nn.Linear(features, hidden), nn.SiLU(), nn.Dropout(0.05),
            nn.Linear(hidden, hidden), nn.SiLU(),
        )
        self.out = nn.Linear(hidden, 3 * components)
        with torch.no_grad():
            self.out.bias[components : 2 * components] = torch.linspace(-1.5, 1.5, components)

    def forward(self, x):
        weight, mean, spread = self.out(self.trunk(x)).chunk(3, dim=1)
        return weight.log_softmax(dim=1), mean, spread.clamp(-4.0, 2.0)

    def nll(self, x, y):
        weight, mean, spread = self(x)
        z = (y[:, None] - mean) * torch.exp(-spread)
        component = weight - spread - 0.5 * z.square() - 0.5 * math.log(2 * math.pi)
        return -torch.logsumexp(component, dim=1).mean()

    def expected(self, x):
        weight, mean, _ = self(x)
        return (weight.exp() * mean).sum(dim=1)
