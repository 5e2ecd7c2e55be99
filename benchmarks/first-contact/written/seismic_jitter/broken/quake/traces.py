"""Synthetic three-component seismograms with one arrival each."""
import numpy as np

LENGTH = 512


def trace(rng):
    arrival = int(rng.integers(100, 400))
    t = np.arange(LENGTH - arrival)
    noise = np.cumsum(rng.normal(0, 0.08, (3, LENGTH)), axis=1)
    noise -= noise.mean(1, keepdims=True)
    wave = np.exp(-t / rng.uniform(30, 90)) * np.sin(t * rng.uniform(0.3, 0.8))
    noise[:, arrival:] += wave * rng.normal(0, 1.5, (3, 1))
    return noise.astype(np.float32), arrival


def catalogue(count, seed):
    rng = np.random.default_rng(seed)
    return [trace(rng) for _ in range(count)]
