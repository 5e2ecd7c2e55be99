import numpy as np


def begin(seed):
    np.random.seed(seed)
