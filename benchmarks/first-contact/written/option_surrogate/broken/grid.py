"""Cells of the parameter space: market state and a handful of contracts in each."""
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Cell:
    index: int
    spot: float
    vol: float
    rate: float
    maturity: float
    strikes: tuple
    paths: int


def make_cells(n, seed):
    rng = np.random.default_rng(seed)
    cells = []
    for i in range(n):
        spot, vol = rng.uniform(80, 120), rng.uniform(0.1, 0.5)
        strikes = tuple(spot * rng.uniform(0.8, 1.2, size=rng.integers(20, 60)))
        paths = int(rng.choice([1000, 2000, 4000]))
        cells.append(Cell(i, spot, vol, rng.uniform(0, 0.05), rng.uniform(0.1, 2), strikes, paths))
    return cells
