"""The drainage network of a synthetic catchment."""

import random


class Reach:
    """A stretch of river between two confluences."""

    __slots__ = ("code", "length", "slope", "area", "down", "ups")

    def __init__(self, code, length, slope, area):
        self.code = code
        self.length = length
        self.slope = slope
        self.area = area
        self.down = None
        self.ups = []

    def join(self, other):
        self.down = other
        other.ups.append(self)

    def __repr__(self):
        return f"Reach({self.code})"


def grow(count, seed):
    """A random tree of reaches; returns the one at the outlet."""
    rng = random.Random(seed)
    outlet = Reach("R0000", 3.1, 0.0004, 1.0)
    open_ends = [outlet]
    for number in range(1, count):
        target = open_ends[rng.randrange(max(0, len(open_ends) - 40), len(open_ends))]
        reach = Reach(f"R{number:04d}", rng.uniform(0.4, 4.0), rng.lognormvariate(-6, 1), rng.uniform(0.2, 6.0))
        reach.join(target)
        open_ends.append(reach)
        if len(target.ups) >= 2:
            open_ends.remove(target)
    return outlet


def drains_to(outlet):
    """All reaches whose water passes the outlet."""
    seen = {outlet}
    front = [outlet]
    while front:
        reach = front.pop()
        for up in reach.ups:
            if up not in seen:
                seen.add(up)
                front.append(up)
    return list(seen)
