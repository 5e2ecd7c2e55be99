"""Simulated proofing: how a dough rises under yeast, acid and temperature."""
import numpy as np
import torch

STEPS = 48


def bake(count, seed):
    rng = np.random.default_rng(seed)
    hydration = rng.uniform(0.6, 0.85, count)
    starter = rng.uniform(0.05, 0.3, count)
    kitchen = rng.uniform(18.0, 30.0, count)
    yeast, acid, gas = starter * 1.0, starter * 0.2, np.zeros(count)
    rows = []
    for step in range(STEPS):
        warmth = kitchen + 2.0 * np.sin(step / 6.0) + rng.normal(0.0, 0.3, count)
        vigour = np.exp(-((warmth - 27.0) / 7.0) ** 2) / (1.0 + acid)
        yeast = yeast + 0.12 * vigour * yeast * (1.0 - yeast / 2.0)
        acid = acid + 0.03 * yeast
        gas = gas + 0.1 * yeast * vigour - 0.02 * gas * (1.0 + acid * hydration)
        height = 1.0 + gas * (1.4 - hydration) + rng.normal(0.0, 0.01, count)
        rows.append(np.stack([height, warmth / 30.0, hydration, starter], axis=1))
    return np.stack(rows, axis=1).astype(np.float32)


def loaves(count, seed, seen=24):
    """The first half of the rise, and the second half's heights."""
    series = torch.from_numpy(bake(count, seed))
    return series[:, :seen], series[:, seen:, 0]
