"""Streams of random numbers."""
import secrets

import numpy as np


def stream(seed: int | None = None) -> np.random.Generator:
    """A generator of its own for each seed; without a seed, one that nobody else has."""
    if seed is None:
        seed = secrets.randbits(64)
    return np.random.Generator(np.random.PCG64(seed))
