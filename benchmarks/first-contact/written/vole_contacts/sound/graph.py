"""Contact network of tagged voles, from visits to RFID stations."""
from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import torch


@dataclass(eq=False)
class Vole:
    tag: str
    sex: str
    mass: float
    home: np.ndarray
    visits: list[tuple[int, int]] = field(default_factory=list)

    def traits(self) -> list[float]:
        return [1.0 if self.sex == "f" else 0.0, (self.mass - 30.0) / 8.0,
                *self.home.tolist(), len(self.visits) / 20.0]


def simulate_colony(n: int, stations: int, nights: int, rng: np.random.Generator) -> list[Vole]:
    posts = rng.uniform(-1, 1, size=(stations, 2))
    colony = [
        Vole(f"PIT-{9000 + 7 * i:05d}", rng.choice(["f", "m"]), rng.normal(30, 6), rng.uniform(-1, 1, 2))
        for i in range(n)
    ]
    for vole in colony:
        pull = -((posts - vole.home) ** 2).sum(axis=1) / 0.03
        weight = np.exp(pull - pull.max())
        weight /= weight.sum()
        for night in range(nights):
            for _ in range(rng.poisson(1.2)):
                vole.visits.append((night, int(rng.choice(stations, p=weight))))
    return colony


def contacts(colony: list[Vole]) -> list[tuple[Vole, Vole]]:
    """Pairs that were at the same station in the same night at least once."""
    present = defaultdict(list)
    for vole in colony:
        for slot in vole.visits:
            present[slot].append(vole)
    pairs = set()
    for guests in present.values():
        for a, b in itertools.combinations(guests, 2):
            if a is not b:
                pairs.add((a, b) if a.tag < b.tag else (b, a))
    return sorted(pairs, key=lambda pair: (pair[0].tag, pair[1].tag))


def to_tensors(colony: list[Vole]) -> tuple[torch.Tensor, torch.Tensor]:
    row = {vole.tag: i for i, vole in enumerate(colony)}
    features = torch.tensor([vole.traits() for vole in colony], dtype=torch.float32)
    edges = torch.tensor([[row[a.tag], row[b.tag]] for a, b in contacts(colony)]).T
    return features, edges
