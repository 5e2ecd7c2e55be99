"""Otolith outlines and ring profiles of trout, with the age read by an expert."""
import numpy as np


def make_otoliths(count, seed, points=64):
    rng = np.random.default_rng(seed)
    age = rng.integers(1, 9, size=count)
    river = rng.integers(12, size=count)
    bias = rng.normal(scale=0.3, size=12)
    position = np.linspace(0, 1, points)
    profiles = np.empty((count, points))
    for i in range(count):
        growth = position ** rng.uniform(0.6, 0.9)
        rings = np.cos(2 * np.pi * age[i] * growth + rng.normal(scale=0.4))
        fade = np.exp(-rng.uniform(0.2, 1.0) * position)
        profiles[i] = rings * fade + rng.normal(scale=0.5, size=points)
    shape = rng.normal(size=(count, 5)) + 0.3 * age[:, None]
    return {
        "profile": profiles.astype(np.float32),
        "shape": shape.astype(np.float32),
        "age": (age + bias[river]).astype(np.float32),
        "river": river,
    }
