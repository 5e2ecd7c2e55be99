import numpy as np

from .base import feature


@feature(columns=5)
def quantiles(x):
    return np.quantile(x, [0.05, 0.25, 0.5, 0.75, 0.95])
