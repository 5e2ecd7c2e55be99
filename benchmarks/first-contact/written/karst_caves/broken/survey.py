"""Survey stations of a karst system, the legs between them, and the caves they form."""
import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np


@dataclass(eq=False)
class Station:
    x: float
    y: float
    z: float
    legs: list = field(default_factory=list, repr=False)
    cave: int = -1
    hops: int = 0              # legs from the station where the mapping of the cave began

    def distance(self, other):
        return math.dist((self.x, self.y, self.z), (other.x, other.y, other.z))


def draw_system(caves, stations, seed):
    """Random passages: each station continues from one of the latest of its cave."""
    rng = np.random.default_rng(seed)
    by_cave = [[] for _ in range(caves)]
    everything = []
    for _ in range(stations):
        passage = by_cave[int(rng.integers(caves))]
        if passage:
            last = passage[-int(rng.integers(1, min(len(passage), 6) + 1))]
            dx, dy, dz = rng.normal([4.0, 0.0, -1.0], [3.0, 4.0, 1.5])
            station = Station(last.x + dx, last.y + dy, last.z + dz)
            last.legs.append(station)
            station.legs.append(last)
        else:
            station = Station(*rng.uniform([-800, -800, 300], [800, 800, 500]))
        passage.append(station)
        everything.append(station)
    return everything


def map_caves(stations):
    """Numbers the caves and counts the legs from where the mapping of each began."""
    unmapped = set(stations)
    caves = 0
    while unmapped:
        start = unmapped.pop()
        start.cave, start.hops = caves, 0
        front = deque([start])
        while front:
            station = front.popleft()
            for neighbour in station.legs:
                if neighbour in unmapped:
                    unmapped.discard(neighbour)
                    neighbour.cave, neighbour.hops = caves, station.hops + 1
                    front.append(neighbour)
        caves += 1
    return caves
