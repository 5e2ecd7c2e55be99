"""Baseline removal for infrared spectra of cured resins."""
import multiprocessing
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

POINTS = 400


@dataclass
class Spectrum:
    sample: str
    values: np.ndarray
    cure: float
    rounds: int = 0


def measure(number, seed):
    rng = np.random.default_rng([seed, number])
    x = np.linspace(0, 1, POINTS)
    cure = rng.uniform(0, 1)
    peaks = (cure * np.exp(-((x - 0.3) / 0.02) ** 2) + (1 - cure) * np.exp(-((x - 0.62) / 0.03) ** 2)
             + 0.5 * np.exp(-((x - 0.8) / 0.015) ** 2))
    drift = rng.normal(0, 0.6) * x + rng.normal(0, 0.8) * x ** 2
    return Spectrum(f"R{number:04d}", peaks + drift + rng.normal(0, 0.02, POINTS), cure)


def subtract_baseline(spectrum, smooth=1e4, ratio=1e-3):
    """Asymmetrically reweighted least squares (arPLS)."""
    y = spectrum.values
    curve = sparse.diags([1, -2, 1], [0, 1, 2], shape=(POINTS - 2, POINTS))
    penalty = smooth * (curve.T @ curve)
    weights = np.ones(POINTS)
    for rounds in range(1, 20):
        base = spsolve((sparse.diags(weights) + penalty).tocsc(), weights * y)
        residual = y - base
        below = residual[residual < 0]
        wanted = 1 / (1 + np.exp(np.clip(2 * (residual - 2 * below.std() + below.mean()) / below.std(), -60, 60)))
        if np.linalg.norm(weights - wanted) / np.linalg.norm(weights) < ratio:
            break
        weights = wanted
    return Spectrum(spectrum.sample, (y - base).astype(np.float32), spectrum.cure, rounds)


def corrected(spectra, processes):
    """All spectra without their baselines, computed by a pool of processes."""
    context = multiprocessing.get_context("fork")
    with context.Pool(processes) as pool:
        return list(pool.imap(subtract_baseline, spectra, chunksize=2))
