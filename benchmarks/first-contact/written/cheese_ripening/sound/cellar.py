"""Simulated cellar logs: one row per day and wheel, with the paste pH at the end of affinage."""
import numpy as np
import torch

CHANNELS = ("temperature", "humidity", "ammonia", "mass_loss", "turned")


def simulate(wheels, days, seed):
    rng = np.random.default_rng(seed)
    day = np.arange(days)
    shelf = rng.integers(0, 12, wheels)
    temperature = 11 + 0.15 * shelf[:, None] + rng.normal(0, 0.4, (wheels, days))
    humidity = 93 - 0.3 * shelf[:, None] + 2 * np.sin(2 * np.pi * day / 7) + rng.normal(0, 1, (wheels, days))
    flora = rng.gamma(6.0, 0.15, (wheels, 1))
    ammonia = flora * np.log1p(np.exp((day - 22) / 5)) + rng.normal(0, 0.1, (wheels, days))
    mass_loss = np.cumsum(0.01 * (100 - humidity) * (1 + 0.02 * temperature), axis=1) / days
    turned = (rng.random((wheels, days)) < 0.33).astype(float)
    x = np.stack([temperature, humidity, ammonia, mass_loss, turned], axis=-1)
    ph = 4.9 + 0.11 * ammonia[:, -8:].mean(1) + 0.25 * flora[:, 0] - 0.3 * mass_loss[:, -1]
    ph += 0.4 * turned.mean(1) + rng.normal(0, 0.03, wheels)
    x = (x - x.mean((0, 1))) / x.std((0, 1))
    return torch.tensor(x, dtype=torch.float32), torch.tensor(ph, dtype=torch.float32)


def divide(x, y, seed):
    order = torch.randperm(len(x), generator=torch.Generator().manual_seed(seed))
    cut = int(0.8 * len(x))
    train, test = order[:cut], order[cut:]
    held_out = set(test.tolist())
    assert not any(i in held_out for i in train.tolist())
    return (x[train], y[train]), (x[test], y[test])
