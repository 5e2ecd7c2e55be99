"""Monte Carlo model of a curing mortar prism: a lattice of grains with random flaws."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Mix:
    number: int
    water: float       # water / cement by mass
    sand: float        # sand / cement by mass
    lime: float        # share of the binder
    days: int


class Bench:
    """What a process needs to simulate prisms; made once, since the tables are slow to build."""

    def __init__(self, seed):
        self.seed = seed
        ages = np.linspace(0, 91, 4000)
        self.maturity = np.cumsum(np.exp(-ages / 21.0))
        self.maturity /= self.maturity[-1]


_bench = None


def open_bench(seed, seats):
    global _bench
    with seats.get_lock():
        seat = seats.value
        seats.value += 1
    _bench = Bench(seed)
    _bench.seat = seat


def cure(mix, prisms=3):
    """Strength of a mix in MPa: its mean and its spread over a few prisms."""
    rng = np.random.default_rng([_bench.seed, mix.number])
    side = 16 + 8 * (mix.number % 4)
    grown = _bench.maturity[min(int(mix.days / 91 * 4000), 3999)]
    results = []
    for _ in range(prisms):
        pores = rng.random((side, side, side)) < 0.05 + 0.22 * max(mix.water - 0.3, 0)
        bond = rng.gamma(9.0, 1 / 9.0, (side, side, side)) * grown
        bond[pores] = 0.0
        layers = np.sort(bond.mean(axis=(1, 2)))
        weak = layers[: max(side // 6, 1)].mean()
        results.append(62 * weak * (1 - 0.45 * mix.lime) * np.exp(-0.12 * (mix.sand - 2.5) ** 2))
    return mix.number, float(np.mean(results)), float(np.std(results))
