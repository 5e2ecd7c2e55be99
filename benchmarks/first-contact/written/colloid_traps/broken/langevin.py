"""Overdamped Langevin dynamics of a bead in a harmonic optical trap."""
import multiprocessing as mp
import time

import numpy as np

KT = 4.11           # pN nm
DT = 2e-4           # s
_state = {}


def start_worker(seed):
    number = mp.current_process()._identity[-1]
    _state["rng"] = np.random.default_rng([seed, number])
    _state["seed"] = seed


def trace(job):
    """Position record of one bead, summarised; job = (index, stiffness in pN/nm, drag in pN s/nm)."""
    index, stiffness, drag = job
    began = time.perf_counter()
    rng = _state["rng"]
    n, beads = 260, 12
    kick = np.sqrt(2 * KT * DT / drag)
    x = np.zeros(beads)
    path = np.empty((n, beads))
    for i in range(n):
        x = x - stiffness / drag * x * DT + kick * rng.standard_normal(beads)
        path[i] = x
    path = path[60:]
    lagged = [(path[lag:] * path[:-lag]).mean(0) for lag in (1, 2, 4, 8, 16)]
    features = np.stack([path.var(0), np.abs(path).max(0), np.diff(path, axis=0).var(0), *lagged], axis=1)
    return index, features / 100.0, time.perf_counter() - began


def run_traces(jobs, seed, workers=3):
    context = mp.get_context("fork")
    with context.Pool(workers, initializer=start_worker, initargs=(seed,)) as pool:
        results = pool.map(trace, jobs, chunksize=1)
    busy = sum(seconds for _, _, seconds in results)
    return [features for _, features, _ in results], busy
