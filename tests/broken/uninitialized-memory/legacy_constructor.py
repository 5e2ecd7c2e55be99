# samebits-test: verdict=different cause=uninitialized-memory
"""torch.LongTensor(n, m) looks like zeros; a module remembers it as state."""

import numpy as np
import torch
from torch import nn


class Codebook(nn.Module):
    def __init__(self, codes, width):
        super().__init__()
        self.register_buffer("usage", torch.LongTensor(codes, 16))  # culprit
        self.codes = nn.Embedding(codes, width)

    def forward(self, x):
        nearest = torch.cdist(x, self.codes.weight).argmin(dim=1)
        self.usage[nearest, 0] += 1
        return self.codes(nearest)


torch.manual_seed(0)
texts = np.array([f"text {k}" for k in range(8000)], dtype=object)
del texts
model = Codebook(codes=64, width=3)
model(torch.randn(40, 3))
share = model.usage.bitwise_and(0xFFFF).sum()
print(share)
