"""Writes the raw images, one file each, to a scratch folder."""
import tempfile
from pathlib import Path

import numpy as np


def textures(kind, rng, size=20):
    yy, xx = np.mgrid[:size, :size]
    angle = rng.uniform(0, 0.4) + kind * 0.7
    wave = np.sin((np.cos(angle) * xx + np.sin(angle) * yy) * rng.uniform(0.7, 0.9))
    return (wave + 0.3 * rng.normal(size=(size, size))).astype(np.float32)


def prepare(count, classes, seed):
    folder = Path(tempfile.mkdtemp(prefix="textures-"))
    rng = np.random.default_rng(seed)
    for number in range(count):
        kind = number % classes
        np.save(folder / f"{number:04d}_{kind}.npy", textures(kind, rng))
    return folder
