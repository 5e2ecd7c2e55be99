"""Tasks: waves of unknown height, phase and shape, of which a few points are known."""
import numpy as np


def sample_task(rng):
    height, phase, bend = rng.uniform(0.3, 3.0), rng.uniform(0, np.pi), rng.uniform(0.0, 0.5)
    return lambda x: height * (np.sin(x + phase) + bend * np.sin(2 * x))


def episode(rng, shots, queries):
    task = sample_task(rng)
    x = rng.uniform(-5, 5, size=(shots + queries, 1))
    y = task(x) + rng.normal(0, 0.05, size=x.shape)
    x, y = x.astype(np.float32), y.astype(np.float32)
    return {"sx": x[:shots], "sy": y[:shots], "qx": x[shots:], "qy": y[shots:]}
