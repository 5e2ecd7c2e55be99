"""Co-occurrence graph of reef species, built from dive logs."""
from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

GENERA = ["Acropora", "Porites", "Chaetodon", "Scarus", "Zebrasoma", "Thalassoma", "Favia", "Diadema"]


def dive_logs(n_species: int, n_dives: int, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(seed)
    names = [f"{GENERA[i % len(GENERA)]}_{i:03d}" for i in range(n_species)]
    guild = rng.integers(0, 4, n_species)
    species = pd.DataFrame({
        "name": names,
        "guild": guild,
        "depth": 4.0 + 5.0 * guild + rng.normal(0, 4, n_species),
        "length": np.exp(rng.normal(2.0 + 0.2 * guild, 0.5)),
        "colour": rng.random(n_species),
    })
    rows = []
    for dive in range(n_dives):
        home = rng.integers(0, 4)
        weight = np.where(guild == home, 4.0, 1.0)
        seen = rng.choice(n_species, size=5, replace=False, p=weight / weight.sum())
        rows += [(dive, names[s]) for s in seen]
    return species, pd.DataFrame(rows, columns=["dive", "name"])


@dataclass
class KinshipGraph:
    species: pd.DataFrame
    index: dict[str, int] = field(default_factory=dict)
    adjacent: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def from_logs(cls, species: pd.DataFrame, logs: pd.DataFrame) -> "KinshipGraph":
        met: dict[str, set[str]] = defaultdict(set)
        for _, group in logs.groupby("dive", sort=True):
            party = group["name"].tolist()
            for a in party:
                met[a].update(b for b in party if b != a)
        graph = cls(species)
        graph.index = {name: i for i, name in enumerate(species["name"])}
        graph.adjacent = {name: list(met[name]) for name in graph.index}
        return graph

    @property
    def n_edges(self) -> int:
        return sum(len(v) for v in self.adjacent.values()) // 2

    def sample(self, nodes: list[int], fanout: int, rng: random.Random) -> list[list[int]]:
        """For every node, `fanout` neighbours drawn with replacement (itself if it has none)."""
        names = self.species["name"].tolist()
        picked = []
        for node in nodes:
            others = self.adjacent[names[node]]
            if others:
                picked.append([self.index[n] for n in rng.choices(others, k=fanout)])
            else:
                picked.append([node] * fanout)
        return picked
