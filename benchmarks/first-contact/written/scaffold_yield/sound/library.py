"""A synthetic reaction library: scaffolds decorated with substituents."""
import random
from dataclasses import dataclass

RINGS = ["c1ccccc1", "c1ccncc1", "C1CCNCC1", "c1ccoc1", "c1ccsc1", "C1CCOC1", "c1cnc[nH]1"]
LINKERS = ["", "C", "CC", "O", "N", "C(=O)", "C(=O)N", "S(=O)(=O)"]
GROUPS = ["F", "Cl", "Br", "OC", "N(C)C", "C#N", "C(F)(F)F", "[N+](=O)[O-]", "B(O)O"]


@dataclass(frozen=True)
class Molecule:
    name: str
    scaffold: str
    groups: tuple
    yield_: float


def make_library(n, seed):
    rng = random.Random(seed)
    scaffolds = [a + link + b for a in RINGS for link in LINKERS for b in RINGS]
    rng.shuffle(scaffolds)
    scaffolds = scaffolds[:150]
    effect = {g: rng.gauss(0, 0.15) for g in GROUPS}
    base = {s: rng.uniform(0.25, 0.75) for s in scaffolds}
    mols = []
    for i in range(n):
        s = scaffolds[min(int(rng.expovariate(1 / 40)), len(scaffolds) - 1)]
        groups = tuple(rng.choices(GROUPS, k=rng.randint(1, 4)))
        y = base[s] + sum(effect[g] for g in groups) + rng.gauss(0, 0.03)
        mols.append(Molecule(f"mol{i:05d}", s, groups, min(max(y, 0.0), 1.0)))
    return mols
