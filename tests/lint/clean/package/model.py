import numpy as np


def fit():
    return np.random.rand(3)
