"""A district heating network: substations joined by pipes, hot water losing heat on the way."""
from collections import deque

import numpy as np


class Substation:
    def __init__(self, number, x, y, demand):
        self.number, self.x, self.y, self.demand = number, x, y, demand
        self.pipes = []
        self.supply = 0.0

    def __repr__(self):
        return f"<Substation {self.number}>"


class Pipe:
    def __init__(self, a, b, insulation):
        self.ends = (a, b)
        self.length = float(np.hypot(a.x - b.x, a.y - b.y))
        self.insulation = insulation
        a.pipes.append(self)
        b.pipes.append(self)

    def other(self, station):
        return self.ends[1] if station is self.ends[0] else self.ends[0]


def build(side=36, seed=4):
    rng = np.random.default_rng(seed)
    stations = [
        Substation(r * side + c, c + rng.normal(0, 0.2), r + rng.normal(0, 0.2), rng.gamma(2.0, 0.5))
        for r in range(side)
        for c in range(side)
    ]
    for s in stations:
        r, c = divmod(s.number, side)
        if c + 1 < side and rng.random() < 0.8:
            Pipe(s, stations[s.number + 1], rng.uniform(0.5, 1.5))
        if r + 1 < side and (c == 0 or rng.random() < 0.7):
            Pipe(s, stations[s.number + side], rng.uniform(0.5, 1.5))
    heat(stations, rng)
    return stations


def heat(stations, rng):
    """Supply temperature: falls along the way from the plant at station 0."""
    seen, queue = {stations[0]}, deque([stations[0]])
    stations[0].supply = 90.0
    for s in stations[1:]:
        s.supply = 55.0
    while queue:
        s = queue.popleft()
        for pipe in s.pipes:
            t = pipe.other(s)
            if t not in seen:
                seen.add(t)
                drop = 0.4 * pipe.length / pipe.insulation + 0.2 * t.demand
                t.supply = max(45.0, s.supply - drop + rng.normal(0, 0.15))
                queue.append(t)
