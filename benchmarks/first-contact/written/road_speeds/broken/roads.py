"""A made-up road network: junctions on a plane, roads between near ones, some islands."""
import random
from dataclasses import dataclass, field


@dataclass(eq=False)
class Junction:
    name: str
    x: float
    y: float
    signals: bool
    links: list = field(default_factory=list, repr=False)

    def distance(self, other):
        return ((self.x - other.x) ** 2 + (self.y - other.y) ** 2) ** 0.5


def build_network(count, seed, reach=0.028):
    rng = random.Random(seed)
    junctions = [Junction(f"J{i:05d}", rng.random(), rng.random(), rng.random() < 0.3)
                 for i in range(count)]
    cells = {}
    for junction in junctions:
        cells.setdefault((int(junction.x / reach), int(junction.y / reach)), []).append(junction)
    for junction in junctions:
        cx, cy = int(junction.x / reach), int(junction.y / reach)
        near = [other for dx in (-1, 0, 1) for dy in (-1, 0, 1)
                for other in cells.get((cx + dx, cy + dy), ())
                if other is not junction and junction.distance(other) < reach]
        for other in near:
            if junction.name < other.name and rng.random() < 0.55:
                junction.links.append(other)
                other.links.append(junction)
    return junctions


def reachable(start):
    """All junctions that can be driven to from this one."""
    found, waiting = {start}, [start]
    while waiting:
        for other in waiting.pop().links:
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


def largest_part(junctions):
    """The junctions of the largest connected part of the network."""
    best, seen = set(), set()
    for junction in junctions:
        if junction not in seen:
            part = reachable(junction)
            seen |= part
            best = max(best, part, key=len)
    return list(best)
