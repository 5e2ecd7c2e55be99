"""Synthetic thermal-infrared time profiles of peatland pixels; few of them smoulder."""
import numpy as np

STEPS = 14
CHANNELS = 4


def make_pixels(count, seed, smouldering=0.12):
    rng = np.random.default_rng(seed)
    t = np.arange(STEPS) / STEPS
    fire = rng.random(count) < smouldering
    base = 290 + 8 * np.sin(2 * np.pi * t + rng.uniform(0, 6, (count, 1)))
    onset = rng.uniform(0.1, 0.8, (count, 1))
    heat = np.where(fire[:, None], 9 * np.clip(t - onset, 0, None), 0)
    glare = np.where(rng.random((count, 1)) < 0.15, 5 * rng.random((count, STEPS)), 0)
    gains = np.array([1.0, 0.7, 0.3, 0.1])[:, None]
    x = base[:, None, :] - 290 + heat[:, None, :] * gains + glare[:, None, :] * gains[::-1]
    x = x + rng.normal(0, 1.2, (count, CHANNELS, STEPS))
    return (x / 6).astype(np.float32), fire.astype(np.float32)
