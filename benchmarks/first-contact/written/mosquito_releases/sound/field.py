"""A stochastic field model of releasing sterile males; run in worker processes."""
from dataclasses import dataclass

import numpy as np

_habitat = None


@dataclass(frozen=True)
class Scenario:
    index: int
    ratio: float
    interval: int
    rain: float
    start: int


def draw_scenarios(n, seed):
    rng = np.random.default_rng(seed)
    return [
        Scenario(i, float(rng.uniform(0, 12)), int(rng.integers(3, 15)), float(rng.uniform(0.4, 1.6)),
                 int(rng.integers(150, 500)))
        for i in range(n)
    ]


def setup(cells):
    global _habitat
    grid = np.linspace(0, 2 * np.pi, cells)
    _habitat = 1.0 + 0.4 * np.sin(grid) + 0.1 * np.cos(3 * grid)


def simulate(job):
    scenario, seed = job
    rng = np.random.default_rng([seed, scenario.index])
    wild = np.full(len(_habitat), float(scenario.start))
    sterile = np.zeros(len(_habitat))
    for day in range(60):
        if day % scenario.interval == 0:
            sterile += rng.poisson(scenario.ratio * 20, len(_habitat))
        mating = wild / (wild + sterile + 1.0)
        births = rng.poisson(0.35 * wild * mating * scenario.rain * _habitat / (1 + wild / 600))
        deaths = rng.binomial(wild.astype(np.int64), 0.11)
        wild = np.maximum(wild + births - deaths, 0)
        sterile *= 0.85
        if wild.sum() == 0:
            break
    return scenario.index, np.log1p(wild.mean())
