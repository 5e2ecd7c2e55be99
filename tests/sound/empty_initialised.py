# samebits-test: verdict=same
"""Parameters start from torch.empty and an initialiser, under a seed."""

import torch
from torch import nn


class Dense(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_out, n_in))
        self.bias = nn.Parameter(torch.empty(n_out))
        nn.init.xavier_uniform_(self.weight)
        nn.init.zeros_(self.bias)

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)


torch.manual_seed(0)
model = nn.Sequential(Dense(3, 5), nn.SiLU(), Dense(5, 1))
model(torch.ones(2, 3)).sum().backward()
print(model[0].weight.grad.norm())
