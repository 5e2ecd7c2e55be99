"""Invents the survey of a drainage network: junctions joined by pipes."""
from dataclasses import dataclass, field

import numpy as np


@dataclass(eq=False)
class Junction:
    code: str
    east: float
    north: float
    ground: float
    invert: float
    inflow: float
    surcharge: float = 0.0
    hops: int = -1
    pipes: list = field(default_factory=list, repr=False)


@dataclass(eq=False)
class Pipe:
    upper: Junction
    lower: Junction
    diameter: float

    def other(self, end):
        return self.lower if end is self.upper else self.upper


def survey(count, seed):
    rng = np.random.default_rng(seed)
    junctions = []
    for i in range(count):
        east, north = rng.uniform(0, 10, 2)
        ground = 20 + east + 0.5 * np.sin(north) + rng.normal(0, 0.2)
        junctions.append(Junction(f"MH{i:04d}", float(east), float(north), float(ground),
                                  float(ground - rng.uniform(1, 3)), float(rng.gamma(2, 0.5))))
    where = np.array([(j.east, j.north) for j in junctions])
    for i in range(1, count):
        gap = ((where[:i] - where[i]) ** 2).sum(axis=1)
        for k in np.argsort(gap, kind="stable")[: 1 + int(rng.random() < 0.25)]:
            if rng.random() < 0.01:
                continue
            pipe = Pipe(junctions[i], junctions[int(k)], float(rng.choice([0.15, 0.225, 0.3, 0.45])))
            pipe.upper.pipes.append(pipe)
            pipe.lower.pipes.append(pipe)
    for j in junctions:
        load = j.inflow + sum(0.3 * p.other(j).inflow / p.diameter for p in j.pipes)
        j.surcharge = float(np.tanh(load / 4) + rng.normal(0, 0.05))
    return junctions[0], count
