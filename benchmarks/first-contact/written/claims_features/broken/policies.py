import numpy as np
import torch

REGIONS = 9


def make_policies(n, seed):
    """Driver age, car power, bonus level, yearly distance, and a region code."""
    rng = np.random.default_rng(seed)
    age = rng.gamma(9, 5, n).clip(18, 90)
    power = rng.integers(4, 15, n)
    bonus = rng.beta(2, 5, n)
    km = rng.lognormal(2.4, 0.5, n)
    region = rng.integers(REGIONS, size=n)
    risk = rng.normal(0, 0.3, REGIONS)[region]
    z = -2.4 + 1.2 * np.exp(-(age - 18) / 6) + 0.05 * power + 1.4 * bonus + 0.02 * km + risk
    y = rng.random(n) < 1 / (1 + np.exp(-z))
    cols = [np.log(age), power / 10, bonus, np.log(km)]
    x = np.column_stack(cols + [region == r for r in range(REGIONS)]).astype(np.float32)
    x[:, :4] = (x[:, :4] - x[:, :4].mean(0)) / x[:, :4].std(0)
    return torch.from_numpy(x), torch.from_numpy(y.astype(np.float32))
