"""Made-up batches of soap: oils, lye, water and temperature against how hard the bar has become."""
import numpy as np
import torch


def batches(n, seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 7))
    trace = np.exp(-((x[:, 0] + 0.6 * x[:, 1] - 0.4 * x[:, 2]) ** 2))
    hard = 2 * trace + 0.5 * np.tanh(x[:, 3] * x[:, 4]) - 0.3 * np.abs(x[:, 5]) + 0.1 * rng.normal(size=n)
    return torch.tensor(x, dtype=torch.float32), torch.tensor(hard, dtype=torch.float32)
