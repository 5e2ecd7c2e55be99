import numpy as np

from .base import feature


@feature(columns=1)
def crossings(x):
    return np.array([(np.diff(np.sign(x)) != 0).mean()])
