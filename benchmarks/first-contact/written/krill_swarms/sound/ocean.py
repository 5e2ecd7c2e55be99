"""An individual-based model of krill that graze, split and get eaten."""

import math
import random


class Krill:
    __slots__ = ("x", "depth", "energy")

    def __init__(self, x: float, depth: float, energy: float):
        self.x = x
        self.depth = depth
        self.energy = energy


class Ocean:
    def __init__(self, krill: int, cells: int, seed: int):
        self.rng = random.Random(seed)
        self.cells = cells
        self.algae = [1.0] * cells
        self.alive: dict[Krill, int] = {}
        self.hour = 0
        for _ in range(krill):
            self._add(Krill(self.rng.random() * cells, self.rng.random(), self.rng.uniform(0.5, 1.5)))

    def _add(self, one: Krill) -> None:
        self.alive[one] = self.hour

    def _remove(self, one: Krill) -> None:
        del self.alive[one]

    def step(self) -> None:
        night = 0.5 + 0.5 * math.cos(2 * math.pi * self.hour / 24)
        for one in list(self.alive):
            one.x = (one.x + self.rng.gauss(0.0, 0.4)) % self.cells
            one.depth += 0.3 * ((1.0 - night) - one.depth) + self.rng.gauss(0.0, 0.05)
            cell = int(one.x) % self.cells
            bite = min(self.algae[cell], 0.04 * max(0.0, 1.0 - one.depth))
            self.algae[cell] -= bite
            one.energy += 6.0 * bite - 0.06
            risk = 0.01 + 0.03 * (1.0 - night) * max(0.0, 1.0 - one.depth)
            if one.energy < 0.0 or self.rng.random() < risk:
                self._remove(one)
            elif one.energy > 1.6:
                one.energy *= 0.5
                self._add(Krill(one.x, one.depth, one.energy))
        self.algae = [min(1.5, a + 0.12 * a * (1.5 - a) + 0.02) for a in self.algae]
        self.hour += 1

    def observe(self) -> list[float]:
        count = len(self.alive)
        depth = math.fsum(k.depth for k in self.alive) / max(1, count)
        energy = math.fsum(k.energy for k in self.alive) / max(1, count)
        return [count / 1000.0, depth, energy, math.fsum(self.algae) / self.cells]
