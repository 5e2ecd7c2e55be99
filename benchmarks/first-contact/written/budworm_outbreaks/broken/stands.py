import numpy as np
import torch

FEATURES = ("fir_share", "age", "spring_degree_days", "winter_min", "moths_last_year", "parasitism", "slope")


def survey(rng, count):
    """Forest stands and next summer's defoliation (0 to 1)."""
    fir = rng.beta(2, 2, count)
    age = rng.gamma(6, 9, count)
    warm = rng.normal(420, 60, count)
    cold = rng.normal(-31, 5, count)
    moths = rng.lognormal(2.2, 0.8, count)
    parasites = rng.beta(2, 5, count)
    slope = rng.uniform(0, 35, count)
    push = (2.2 * fir * np.tanh(age / 60) + 0.9 * np.log1p(moths) - 3.0 * parasites
            + 0.006 * (warm - 420) - 0.05 * np.clip(-36 - cold, 0, None) - 2.6)
    damage = 1 / (1 + np.exp(-1.6 * push)) + rng.normal(0, 0.06, count)
    table = np.stack([fir, age, warm, cold, np.log1p(moths), parasites, slope], axis=1)
    table = (table - table.mean(0)) / table.std(0)
    return torch.tensor(table, dtype=torch.float32), torch.tensor(damage, dtype=torch.float32)
