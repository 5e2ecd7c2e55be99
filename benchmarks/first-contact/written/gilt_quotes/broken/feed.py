"""A simulated stream of quotes."""
from typing import NamedTuple

import numpy as np


class Quote(NamedTuple):
    second: float
    bond: int
    curve: list
    price: float


def quotes(count, bonds, seed):
    rng = np.random.default_rng(seed)
    load = rng.normal(size=(bonds, 4))
    curve = np.zeros(4)
    second = 0.0
    for _ in range(count):
        second += float(rng.exponential(0.001))
        curve = 0.995 * curve + rng.normal(0, 0.1, 4)
        bond = int(rng.integers(bonds))
        price = float(np.tanh(load[bond] @ curve) + rng.normal(0, 0.05))
        yield Quote(second, bond, [float(np.float32(v)) for v in curve], price)
