"""Sightings of zebras, and the herds that they form."""
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial import cKDTree


@dataclass(eq=False)
class Sighting:
    east: float
    north: float
    hour: int
    moved: float
    near: list = field(default_factory=list, repr=False)


def observe(count: int, seed: int) -> list[Sighting]:
    rng = np.random.default_rng(seed)
    centres = rng.uniform(0, 1, (60, 2))
    drift = rng.gamma(2.0, 0.5, 60)
    sightings = []
    for group in rng.integers(0, 60, count):
        east, north = centres[group] + rng.normal(0, 0.016, 2)
        hour = int(rng.integers(0, 24))
        moved = drift[group] * (1 + 0.4 * np.cos(hour / 24 * 2 * np.pi)) + rng.normal(0, 0.1)
        sightings.append(Sighting(float(east), float(north), hour, float(moved)))
    return sightings


def link(sightings: list[Sighting], radius: float) -> None:
    tree = cKDTree([(s.east, s.north) for s in sightings])
    for left, right in sorted(tree.query_pairs(radius)):
        sightings[left].near.append(sightings[right])
        sightings[right].near.append(sightings[left])


def find_herds(sightings: list[Sighting]) -> list[list[Sighting]]:
    """Connected groups of sightings."""
    waiting = dict.fromkeys(sightings)
    herds = []
    while waiting:
        start, _ = next(iter(waiting.items()))
        del waiting[start]
        herd, edge = [start], [start]
        while edge:
            for other in edge.pop().near:
                if other in waiting:
                    del waiting[other]
                    herd.append(other)
                    edge.append(other)
        herds.append(herd)
    return herds
