"""The networks that the search may try."""
import random
import zlib
from dataclasses import dataclass

from torch import nn


@dataclass(frozen=True)
class Design:
    width: int
    depth: int
    lr: float
    dropout: float
    activation: type[nn.Module]

    @property
    def seed(self) -> int:
        """Its own seed, so that a design trains alike wherever in the search it comes."""
        return zlib.crc32(repr(self).encode()) % 2**31

    def build(self, n_in: int) -> nn.Sequential:
        layers, last = [], n_in
        for _ in range(self.depth):
            layers += [nn.Linear(last, self.width), self.activation(), nn.Dropout(self.dropout)]
            last = self.width
        return nn.Sequential(*layers, nn.Linear(last, 1))

    def __str__(self) -> str:
        return f"{self.depth}x{self.width} {self.activation.__name__} lr={self.lr:g} drop={self.dropout:g}"


def draw_designs(count: int, seed: int) -> list[Design]:
    rng = random.Random(seed)
    found: dict[Design, None] = {}
    while len(found) < count:
        found[Design(rng.choice([16, 32, 48]), rng.choice([1, 2, 3]), rng.choice([1e-3, 3e-3, 1e-2]),
                     rng.choice([0.0, 0.05, 0.1]), rng.choice([nn.ReLU, nn.GELU, nn.SiLU, nn.Tanh]))] = None
    return list(found)
