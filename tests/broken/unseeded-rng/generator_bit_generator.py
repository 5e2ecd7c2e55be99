# samebits-test: verdict=different cause=unseeded-rng detail=numpy-generator
"""A Latin hypercube from a bit generator that took its seed from the system."""

import numpy as np
import torch
from numpy.random import PCG64, Generator


def latin_hypercube(n, d, bits):
    random = Generator(bits)
    cells = np.stack([random.permutation(n) for _ in range(d)], axis=1)
    return (cells + random.random((n, d))) / n


bits = PCG64()  # culprit
x = torch.as_tensor(latin_hypercube(32, 3, bits), dtype=torch.float32)
k = torch.exp(-torch.cdist(x, x).square())
chol = torch.linalg.cholesky(k + 1e-3 * torch.eye(len(x)))
print("log determinant", 2 * chol.diagonal().log().sum().item())
