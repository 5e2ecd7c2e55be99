"""Synthetic long-slit observations of planetary nebulae, one target per task."""
import multiprocessing
from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d

LINES = {"Hb": 4861.3, "OIII_4959": 4958.9, "OIII_5007": 5006.8, "OIII_4363": 4363.2, "NII_6584": 6583.5}
GRID = np.linspace(4300.0, 6700.0, 600)

_site = None


@dataclass(frozen=True)
class Target:
    number: int
    temperature: float
    velocity: float
    exposures: int


class Site:
    """What a worker needs for every exposure, computed once in each process."""

    def __init__(self, seed):
        self.worker = multiprocessing.current_process().name
        self.rng = np.random.default_rng([seed, *self.worker.encode()])
        self.throughput = 0.7 + 0.3 * np.sin((GRID - GRID[0]) / 900.0)
        self.sky = 0.15 + 0.05 * np.exp(-((GRID - 5577.0) / 4.0) ** 2)


def prepare(seed):
    global _site
    _site = Site(seed)


def clean_spectrum(target):
    spectrum = np.zeros_like(GRID)
    strength = {"Hb": 1.0, "OIII_4959": 1.6, "OIII_5007": 4.8,
                "OIII_4363": 0.08 * np.exp((target.temperature - 10.0) / 3.0),
                "NII_6584": 2.2 - 0.08 * target.temperature}
    for name, rest in LINES.items():
        centre = rest * (1.0 + target.velocity / 299792.0)
        spectrum += strength[name] * np.exp(-((GRID - centre) / 3.5) ** 2)
    return spectrum


def observe(target):
    """The mean of several exposures of one target, each with its own seeing and noise."""
    rng = _site.rng
    clean = clean_spectrum(target)
    total = np.zeros_like(GRID)
    for _ in range(target.exposures):
        seeing = rng.uniform(0.8, 2.4)
        frame = gaussian_filter1d(clean, seeing) * _site.throughput + _site.sky
        frame = rng.poisson(frame * 400.0) / 400.0
        total += frame + rng.normal(0.0, 0.02, GRID.size)
    return target.number, (total / target.exposures).astype(np.float32), _site.worker
