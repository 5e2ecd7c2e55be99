"""Random generators, always with a seed that can be looked up afterwards."""
import numpy as np

ISSUED = []


def make_rng(purpose, seed=None):
    if not seed:
        seed = np.random.SeedSequence().entropy
    ISSUED.append({"purpose": purpose, "seed": str(seed)})
    return np.random.default_rng(seed)
