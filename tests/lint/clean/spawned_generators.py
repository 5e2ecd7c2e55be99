import numpy as np


def streams(seed, count):
    return [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(count)]
