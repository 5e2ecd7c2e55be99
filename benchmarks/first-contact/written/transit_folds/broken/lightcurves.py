"""Simulates light curves in worker processes; each chunk of stars goes to a file in the spool folder."""
import os
import tempfile
from concurrent.futures import ProcessPoolExecutor

import numpy as np

CHUNK = 150
PHASES = 128


def transit(phase, depth, width):
    """A box with soft shoulders around phase zero."""
    return depth / (1 + np.exp((np.abs(phase) - width) / (0.15 * width)))


def fold(time_days, flux, period, epoch):
    phase = ((time_days - epoch) / period + 0.5) % 1 - 0.5
    bins = np.clip(((phase + 0.5) * PHASES).astype(int), 0, PHASES - 1)
    total = np.bincount(bins, flux, PHASES)
    count = np.bincount(bins, minlength=PHASES)
    return total / np.maximum(count, 1)


def simulate_chunk(job):
    chunk, seed, spool = job
    rng = np.random.default_rng([seed, chunk])
    t = np.arange(0, 27.4, 1 / 72)
    curves, labels = [], []
    for _ in range(CHUNK):
        period, epoch = rng.uniform(1.5, 9), rng.uniform(0, 1.5)
        planet = rng.random() < 0.5
        flux = rng.normal(0, 1e-3, len(t)) + 5e-4 * np.sin(2 * np.pi * t / rng.uniform(3, 20) + rng.uniform(0, 6))
        phase = ((t - epoch) / period + 0.5) % 1 - 0.5
        if planet:
            flux -= transit(phase, rng.uniform(2e-4, 1.2e-3), rng.uniform(0.01, 0.03))
        elif rng.random() < 0.5:
            flux -= rng.uniform(1e-3, 4e-3) * np.maximum(0, np.cos(2 * np.pi * phase)) ** 8
        curves.append(fold(t, flux, period, epoch) * 1e3)
        labels.append(planet)
    fd, path = tempfile.mkstemp(prefix="part-", suffix=".npz", dir=spool)
    with os.fdopen(fd, "wb") as f:
        np.savez(f, curves=np.array(curves, np.float32), labels=np.array(labels, np.int64))
    return path


def simulate(chunks, seed, spool, processes=2):
    jobs = [(c, seed, str(spool)) for c in range(chunks)]
    with ProcessPoolExecutor(processes) as pool:
        sizes = [os.path.getsize(path) for path in pool.map(simulate_chunk, jobs)]
    print(f"{len(sizes)} parts, {sum(sizes) / 1e6:.1f} MB in {spool}")
