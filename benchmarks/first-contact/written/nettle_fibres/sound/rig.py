"""A simulated tensile rig: pulls batches of nettle fibres and stores their curves."""
import time
from pathlib import Path

import numpy as np
from scipy.interpolate import PchipInterpolator

POINTS = 32


def pull(rng, treatment):
    modulus = rng.normal(45.0 + 6.0 * treatment, 5.0)
    breaking = rng.normal(2.4 - 0.2 * treatment, 0.3)
    knots = np.linspace(0.0, 1.0, 8)
    force = modulus * knots * (1.0 - 0.18 * knots) + np.cumsum(rng.normal(0.0, 0.4, 8))
    curve = PchipInterpolator(knots, force)(np.linspace(0.0, 1.0, POINTS))
    strength = modulus * breaking * (0.9 + 0.05 * treatment) + rng.normal(0.0, 3.0)
    return curve.astype(np.float32), strength


def run_batch(job):
    """Pulls one batch and leaves it as one .npz in the folder of the campaign."""
    number, folder, count, seed = job
    began = time.perf_counter()
    rng = np.random.default_rng([seed, number])
    treatment = number % 4
    pulls = [pull(rng, treatment) for _ in range(count)]
    path = Path(folder) / f"batch-{number:03d}.npz"
    with open(path, "wb") as handle:
        np.savez(
            handle,
            curves=np.stack([c for c, _ in pulls]),
            strengths=np.array([s for _, s in pulls], dtype=np.float32),
            treatment=np.full(count, treatment),
        )
    return time.perf_counter() - began, count


def collect(folder):
    parts = []
    for path in sorted(Path(folder).glob("batch-*.npz")):
        with np.load(path) as part:
            parts.append((part["curves"], part["strengths"], part["treatment"]))
    curves, strengths, treatment = (np.concatenate(group) for group in zip(*parts))
    return curves, strengths, treatment
