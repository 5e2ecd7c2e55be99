"""N-way episodes for few-shot training."""
import random

import numpy as np
import torch


class Cabinet:
    """Specimens by taxon; broken ones and those on withdrawn slides are taken out."""

    def __init__(self, specimens, withdrawn=frozenset()):
        self.drawers = {}
        for specimen in specimens:
            self.drawers.setdefault(specimen.taxon, []).append(specimen)
        for taxon, drawer in self.drawers.items():
            self.drawers[taxon] = [s for s in drawer if not s.broken and s.slide not in withdrawn]

    def taxa(self) -> list[str]:
        return sorted(self.drawers)

    def __len__(self):
        return sum(len(drawer) for drawer in self.drawers.values())


class EpisodeSampler:
    def __init__(self, cabinet: Cabinet, taxa: list[str], way: int, shot: int, query: int, seed: int):
        self.cabinet = cabinet
        self.taxa = taxa
        self.way, self.shot, self.query = way, shot, query
        self.rng = random.Random(seed)

    def draw(self):
        support, query = [], []
        for taxon in self.rng.sample(self.taxa, self.way):
            drawer = list(self.cabinet.drawers[taxon])
            chosen = self.rng.sample(drawer, self.shot + self.query)
            support.append([s.outline for s in chosen[: self.shot]])
            query.append([s.outline for s in chosen[self.shot :]])
        return torch.from_numpy(np.array(support)), torch.from_numpy(np.array(query))
