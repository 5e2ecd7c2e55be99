"""Simulated scans of solvent blends: single-beam counts of the sample and of the empty cell."""
from dataclasses import dataclass

import numpy as np

POINTS = 1024
SOLVENTS = ("acetone", "toluene", "ethanol", "hexane")


@dataclass
class Scan:
    sample: np.ndarray
    reference: np.ndarray
    fractions: np.ndarray


def pure_spectra(rng):
    axis = np.arange(POINTS)
    spectra = np.zeros((len(SOLVENTS), POINTS))
    for row in spectra:
        for centre, width, height in zip(rng.uniform(60, 960, 7), rng.uniform(6, 26, 7), rng.uniform(0.2, 1.1, 7)):
            row += height * np.exp(-((axis - centre) / width) ** 2)
    return spectra


def measure(count, seed):
    rng = np.random.default_rng(seed)
    pure = pure_spectra(rng)
    lamp = 9000.0 * np.exp(-((np.arange(POINTS) - 480) / 520) ** 2)
    scans = []
    for _ in range(count):
        fractions = rng.dirichlet(np.full(len(SOLVENTS), 0.8))
        reference = lamp * rng.uniform(0.9, 1.1) + rng.normal(0, 25, POINTS)
        sample = reference * 10 ** -(fractions @ pure) + rng.normal(0, 25, POINTS)
        for start in rng.integers(0, POINTS - 40, 3):
            blind = slice(start, start + rng.integers(12, 40))
            reference[blind] = 0.0
            sample[blind] = rng.normal(0, 4, POINTS)[blind]
        sample[rng.integers(0, POINTS, 2)] = np.nan
        scans.append(Scan(sample.astype(np.float32), reference.astype(np.float32), fractions.astype(np.float32)))
    return scans
