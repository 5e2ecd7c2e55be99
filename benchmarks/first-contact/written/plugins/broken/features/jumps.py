import numpy as np

from .base import feature


@feature(columns=2)
def jumps(x):
    return np.array([np.abs(np.diff(x)).max(), np.abs(np.diff(x)).mean()])
