"""Monte Carlo snapshots of the two-dimensional Ising model, made by a pool of processes."""
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np

SIZE = 20
_state: dict = {}


class Job(NamedTuple):
    index: int
    temperature: float
    sweeps: int


def _start(counter, seed):
    with counter.get_lock():
        _state["worker"] = counter.value
        counter.value += 1
    rows, cols = np.indices((SIZE, SIZE))
    _state["black"] = (rows + cols) % 2 == 0
    _state["seed"] = seed


def _snapshot(job: Job):
    rng = np.random.default_rng([_state["seed"], job.index])
    black = _state["black"]
    spins = rng.choice(np.array([-1, 1], dtype=np.int8), (SIZE, SIZE))
    for _ in range(job.sweeps):
        for half in (black, ~black):
            field = sum(np.roll(spins, s, axis) for s in (-1, 1) for axis in (0, 1))
            flip = rng.random((SIZE, SIZE)) < np.exp(np.minimum(0.0, -2.0 * spins * field / job.temperature))
            spins = np.where(half & flip, -spins, spins)
    return job.temperature, spins, _state["worker"]


def simulate(jobs, seed, processes=4):
    ctx = get_context("fork")
    with ctx.Pool(processes, _start, (ctx.Value("i", 0), seed)) as pool:
        return list(pool.imap(_snapshot, jobs))
