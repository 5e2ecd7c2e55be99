"""Guests in the cages of a zeolite: a ring-shaped slab of cages, each empty or with one guest in it."""
from __future__ import annotations

import random
from typing import NamedTuple, Optional

ROWS, COLUMNS = 6, 8
WATER, METHANOL, AMMONIA = 1, 2, 3


class Cage(NamedTuple):
    guest: Optional[int] = None
    protons: int = 0


def loaded_slab(rng: random.Random) -> list[list[Cage]]:
    filling = rng.uniform(0.2, 0.9)
    slab = []
    for _ in range(ROWS):
        row = []
        for _ in range(COLUMNS):
            guest = rng.choice((WATER, METHANOL, AMMONIA)) if rng.random() < filling else None
            row.append(Cage(guest, int(rng.random() < 0.3)))
        slab.append(row)
    return slab


def energy(slab: list[list[Cage]]) -> float:
    """What the slow force field would say, in kJ/mol per cage."""
    depth, pull = {WATER: -1.1, METHANOL: -1.6, AMMONIA: -1.9}, {(1, 1): -0.5, (2, 3): -0.4, (3, 3): 0.6, (1, 2): 0.2}
    total = 0.0
    for r in range(ROWS):
        for c in range(COLUMNS):
            here = slab[r][c]
            if here.guest is None:
                continue
            total += depth[here.guest] * (1 + 0.8 * here.protons)
            for near in (slab[r][(c + 1) % COLUMNS], slab[(r + 1) % ROWS][c]):
                if near.guest is not None:
                    total += pull.get(tuple(sorted((here.guest, near.guest))), 0.1)
    return total / (ROWS * COLUMNS)
