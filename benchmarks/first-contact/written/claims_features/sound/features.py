import math

import torch


class RandomFeatures:
    """Cosine features of a Gaussian kernel, and the columns themselves."""

    def __init__(self, width, count, seed, scale=0.6):
        g = torch.Generator().manual_seed(seed)
        self.a = scale * torch.randn(width, count, generator=g)
        self.b = 2 * math.pi * torch.rand(count, generator=g)
        self.width = width + count

    def __call__(self, x):
        return torch.cat([x, torch.cos(x @ self.a + self.b)], dim=1)

    def bytes_per_row(self):
        return 4 * self.width * 3
