"""Scaffold split: whole scaffolds go to one part, common ones to training first."""
from collections import Counter


def rank_scaffolds(mols):
    counts = Counter(m.scaffold for m in mols)
    known = {m.scaffold for m in mols}
    assert sum(counts[s] for s in known) == len(mols)
    return sorted(counts, key=lambda s: counts[s], reverse=True)


def members(mols):
    table = {}
    for i, m in enumerate(mols):
        table.setdefault(m.scaffold, []).append(i)
    return table


def scaffold_split(mols, fractions):
    where = members(mols)
    limits = (fractions[0] * len(mols), (fractions[0] + fractions[1]) * len(mols))
    parts = ([], [], [])
    used = 0
    for s in rank_scaffolds(mols):
        part = 0 if used < limits[0] else 1 if used < limits[1] else 2
        parts[part].extend(where[s])
        used += len(where[s])
    return tuple(sorted(p) for p in parts)


def overlap(mols, a, b):
    return len({mols[i].scaffold for i in a} & {mols[i].scaffold for i in b})
