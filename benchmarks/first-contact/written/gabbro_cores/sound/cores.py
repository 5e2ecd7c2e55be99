"""Made-up drill holes through a layered intrusion: XRF readings and the loggers' calls."""
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

ELEMENTS = ("Mg", "Al", "Si", "Ca", "Ti", "Cr", "Fe", "Ni")
ROCKS = ("anorthosite", "gabbro", "norite", "peridotite", "troctolite")
TYPICAL = np.array([
    [2.0, 28.0, 50.0, 13.0, 0.2, 0.01, 2.5, 0.01],
    [9.0, 16.0, 49.0, 11.5, 0.9, 0.04, 9.0, 0.02],
    [12.0, 14.0, 51.0, 8.5, 0.5, 0.08, 10.0, 0.04],
    [33.0, 4.0, 42.0, 3.0, 0.2, 0.35, 11.0, 0.18],
    [20.0, 15.0, 44.0, 8.0, 0.2, 0.10, 9.0, 0.08],
])
CONFUSED_WITH = {0: (1, 4), 1: (2, 0), 2: (1, 4), 3: (4, 2), 4: (3, 1)}


@dataclass(frozen=True)
class Interval:
    hole: str
    depth: float
    readings: tuple
    calls: tuple
    rock: str


def drill(hole, intervals, loggers, seed):
    rng = np.random.default_rng(seed)
    found, rock = [], int(rng.integers(len(ROCKS)))
    for i in range(intervals):
        if rng.random() < 0.18:
            rock = int(rng.integers(len(ROCKS)))
        readings = TYPICAL[rock] * np.exp(rng.normal(0, 0.55, len(ELEMENTS)))
        calls = []
        for _ in range(loggers):
            if rng.random() < 0.15:
                continue
            called = rng.choice(CONFUSED_WITH[rock]) if rng.random() < 0.28 else rock
            calls.append(ROCKS[int(called)])
        found.append(Interval(hole, 1.5 * i, tuple(readings.tolist()), tuple(calls), ROCKS[rock]))
    return found


def drill_all(holes, intervals, loggers, seed):
    names = [f"BH-{n:03d}" for n in range(1, holes + 1)]
    with ThreadPoolExecutor(max_workers=2) as pool:
        parts = pool.map(lambda n: drill(names[n], intervals, loggers, [seed, n]), range(holes))
        return [interval for part in parts for interval in part]
