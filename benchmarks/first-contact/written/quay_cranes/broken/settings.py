"""Trials of the sway-model search and the streams that belong to them."""

import itertools
from dataclasses import dataclass


@dataclass(frozen=True)
class Trial:
    arch: str
    width: int
    lr: float
    weight_decay: float = 1e-3
    root: int = 20417

    @property
    def label(self) -> str:
        return f"{self.arch}-w{self.width}-lr{self.lr:g}"

    def stream(self, purpose: str) -> int:
        """Seed of this trial's stream for one purpose (weights, batch order, dropout)."""
        return hash((self, purpose)) & 0x7FFFFFFF


SPACE = {
    "arch": ["residual", "gated"],
    "width": [32, 48],
    "lr": [1e-3, 4e-3],
}


def grid(**fixed):
    names = sorted(SPACE)
    for values in itertools.product(*(SPACE[n] for n in names)):
        yield Trial(**dict(zip(names, values)), **fixed)
