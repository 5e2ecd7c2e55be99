import numpy as np

from .base import feature


@feature(columns=6)
def spectrum(x):
    return np.log1p(np.abs(np.fft.rfft(x)[1:7]))
