"""A landscape of cells, and the woodland that hangs together."""
from dataclasses import dataclass, field

import numpy as np
from scipy.ndimage import gaussian_filter


@dataclass(eq=False)
class Cell:
    row: int
    column: int
    slope: float
    clay: float
    cover: float
    sett: bool
    neighbours: list = field(default_factory=list, repr=False)


def landscape(side, rng):
    slope = gaussian_filter(rng.normal(size=(side, side)), 3) * 10
    clay = gaussian_filter(rng.normal(size=(side, side)), 5) * 15
    cover = gaussian_filter(rng.random((side, side)), 1)
    odds = 1 / (1 + np.exp(-(2 * slope - clay + 4 * cover - 3)))
    sett = rng.random((side, side)) < odds
    grid = [
        [
            Cell(r, c, float(slope[r, c]), float(clay[r, c]), float(cover[r, c]), bool(sett[r, c]))
            for c in range(side)
        ]
        for r in range(side)
    ]
    for r in range(side):
        for c in range(side):
            for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                if 0 <= r + dr < side and 0 <= c + dc < side:
                    grid[r][c].neighbours.append(grid[r + dr][c + dc])
    return grid


def connected(grid, start, threshold):
    """All cells that a badger reaches from start without leaving cover."""
    reached = {start}
    stack = [start]
    while stack:
        cell = stack.pop()
        for other in cell.neighbours:
            if other.cover >= threshold and other not in reached:
                reached.add(other)
                stack.append(other)
    return list(reached)
