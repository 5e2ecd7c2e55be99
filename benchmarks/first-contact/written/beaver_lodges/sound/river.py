"""A river network and the families that spread along it."""
import numpy as np


class Reach:
    """A stretch of water between two confluences."""

    def __init__(self, number, rng):
        self.number = number
        self.width = float(rng.gamma(3.0, 2.0))
        self.slope = float(rng.exponential(1.0))
        self.willow = float(rng.uniform())
        self.lodged_since = None
        self.neighbours = []

    def __repr__(self):
        return f"Reach({self.number})"

    @property
    def quality(self):
        return 1.0 / (1.0 + np.exp(-(2.5 * self.willow - 0.8 * self.slope - 0.05 * self.width)))

    def join(self, other):
        if other is not self and other not in self.neighbours:
            self.neighbours.append(other)
            other.neighbours.append(self)


class River:
    def __init__(self, reaches, extra, rng):
        self.reaches = [Reach(number, rng) for number in range(reaches)]
        for number in range(1, reaches):
            self.reaches[number].join(self.reaches[int(rng.integers(max(0, number - 12), number))])
        for _ in range(extra):
            a, b = rng.choice(reaches, size=2, replace=False)
            self.reaches[a].join(self.reaches[b])
        self.year = 0
        self.lost = 0

    def settle(self, rng, founders):
        for number in rng.choice(len(self.reaches), size=founders, replace=False):
            self.reaches[number].lodged_since = 0

    def frontier(self):
        """Empty reaches beside a lodge, each of them once."""
        found = {}
        for reach in self.reaches:
            if reach.lodged_since is not None:
                found.update((other, None) for other in reach.neighbours if other.lodged_since is None)
        return list(found)

    def season(self, rng):
        self.year += 1
        for reach in self.frontier():
            if rng.random() < 0.25 * reach.quality:
                reach.lodged_since = self.year
        for reach in self.reaches:
            if reach.lodged_since is not None and rng.random() < 0.05 * (1 - reach.quality):
                reach.lodged_since = None
                self.lost += 1
