import numpy as np

from .base import feature


@feature(columns=3)
def autocorrelation(x):
    return np.array([(x[:-k] * x[k:]).mean() for k in (1, 3, 9)])
