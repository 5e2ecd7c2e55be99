"""Where dandelion seeds land: a particle model, one case at a time."""

import multiprocessing
from typing import NamedTuple

import numpy as np

_settings = {}


class Case(NamedTuple):
    number: int
    wind: float
    height: float
    fall: float
    gusts: float


def start_worker(seed, particles):
    """Called once in each worker of the pool."""
    _settings["particles"] = particles
    _settings["seed"] = seed
    _settings["worker"] = multiprocessing.current_process().name


def simulate(case):
    rng = np.random.default_rng([_settings["seed"], case.number])
    x = np.zeros(_settings["particles"])
    z = np.full(_settings["particles"], case.height)
    eddy = np.zeros(_settings["particles"])
    dt = 0.1
    for _ in range(60):
        aloft = z > 0
        eddy += dt * (-eddy / 0.8) + case.gusts * np.sqrt(dt) * rng.standard_normal(len(x))
        x += aloft * dt * case.wind * np.log1p(np.maximum(z, 0) / 0.05) / 3
        z += aloft * dt * (eddy - case.fall)
    near = np.quantile(x, [0.1, 0.25, 0.5, 0.75, 0.9])
    return case.number, np.append(near, (z > 0).mean()).astype(np.float32), _settings["worker"]


def sample_cases(count, seed):
    rng = np.random.default_rng(seed)
    for number in range(count):
        yield Case(number, rng.uniform(1, 6), rng.uniform(0.1, 0.6), rng.uniform(0.2, 0.5), rng.uniform(0.1, 0.6))
