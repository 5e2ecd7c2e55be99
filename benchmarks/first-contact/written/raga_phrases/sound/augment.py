"""Pitch-contour augmentation for sung phrases, with a stream for each phrase and epoch."""
import zlib

import numpy as np


def phrase_rng(name, epoch):
    key = zlib.crc32(f"{name}/{epoch}".encode())
    return np.random.default_rng(key)


def stretch(contour, factor):
    n = len(contour)
    source = np.clip(np.arange(n) * factor, 0, n - 1)
    return np.interp(source, np.arange(n), contour)


def augment(contour, name, epoch):
    rng = phrase_rng(name, epoch)
    out = stretch(contour, rng.uniform(0.9, 1.1))
    out = out + rng.normal(0.0, 0.15)
    out = out + 0.05 * rng.standard_normal(len(out))
    if rng.random() < 0.3:
        start = int(rng.integers(0, len(out) - 10))
        out[start:start + 10] = out[start]
    return out
