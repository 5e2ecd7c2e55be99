"""Counts of local motifs, the descriptors of a loaded slab."""
from __future__ import annotations

from collections import Counter

import torch

from lattice import COLUMNS, ROWS, Cage

Motif = tuple[Cage, Cage]


def motifs(slab: list[list[Cage]]):
    for r in range(ROWS):
        for c in range(COLUMNS):
            yield slab[r][c], slab[r][(c + 1) % COLUMNS]
            yield slab[r][c], slab[(r + 1) % ROWS][c]


class MotifTable:
    """Gives every motif that occurs often enough a column."""

    def __init__(self, slabs, at_least: int = 60) -> None:
        seen = Counter(motif for slab in slabs for motif in motifs(slab))
        common = {motif for motif, times in seen.items() if times >= at_least}
        self.column = {motif: number for number, motif in enumerate(common)}
        self.rare = len(seen) - len(common)

    def __len__(self) -> int:
        return len(self.column)

    def describe(self, slabs) -> torch.Tensor:
        table = torch.zeros(len(slabs), len(self))
        for row, slab in enumerate(slabs):
            for motif in motifs(slab):
                if motif in self.column:
                    table[row, self.column[motif]] += 1
        return table / (ROWS * COLUMNS)
