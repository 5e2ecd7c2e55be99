import numpy as np

from .base import feature


@feature(columns=4)
def moments(x):
    return np.array([x.mean(), x.std(), ((x - x.mean()) ** 3).mean(), np.abs(x).max()])
