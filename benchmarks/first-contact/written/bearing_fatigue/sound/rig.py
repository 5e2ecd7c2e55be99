"""Virtual fatigue rig: crack growth of a bearing race under random load spectra."""
import multiprocessing as mp

import numpy as np

SEED = 5150


def run_to_failure(load, hardness, rng):
    crack, cycles = 0.02, 0
    while crack < 1.0 and cycles < 60_000:
        block = rng.weibull(2.0, 50) * load
        crack += 2e-4 * float(np.sum((block * np.sqrt(crack) / hardness) ** 3.0)) + 2e-4
        cycles += 50
    return cycles


def test_bearing(job):
    number, load, hardness = job
    rng = np.random.default_rng([SEED, number])
    lives = [run_to_failure(load, hardness, rng) for _ in range(3)]
    noise = rng.normal(0, 0.01, 4)
    first, spread = float(np.mean(np.log(lives))), float(np.std(np.log(lives)))
    return [load + noise[0], hardness + noise[1], load / hardness + noise[2], spread, first]


def campaign(jobs, workers):
    context = mp.get_context("fork")
    with context.Pool(workers) as pool:
        rows = pool.map(test_bearing, jobs, chunksize=2)
    return np.asarray(rows, dtype=np.float32)
