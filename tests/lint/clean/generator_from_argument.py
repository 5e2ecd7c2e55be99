import numpy as np


def noise(shape, seed):
    return np.random.default_rng(seed).normal(size=shape)
