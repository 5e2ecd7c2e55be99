from dataclasses import dataclass
from typing import List, Tuple

import numpy as np

LAYERS = (3.1, 7.0, 10.9, 16.0, 22.5, 30.0)     # cm
FIELD = 3.8                                     # T


@dataclass(frozen=True, eq=False)
class Track:
    run: int
    number: int
    curvature: float
    hits: Tuple[float, ...]


def simulate(n_tracks: int, seed: int) -> List[Track]:
    rng = np.random.default_rng(seed)
    radii = np.array(LAYERS)
    found = []
    for number in range(n_tracks):
        pt = float(np.exp(rng.uniform(np.log(0.8), np.log(20.0))))
        charge = 1 if rng.random() < 0.5 else -1
        curvature = charge * 0.003 * FIELD / pt
        phi = rng.normal(0, 0.01)
        bend = phi * radii + 0.5 * curvature * radii ** 2
        scatter = np.cumsum(rng.normal(0, 0.004 / pt, len(radii)))
        smear = rng.normal(0, 0.002, len(radii))
        found.append(Track(320_000 + number // 500, number, curvature,
                           tuple((bend + scatter + smear).tolist())))
    return found
