"""Random small molecules with chemical shifts from an increment scheme: what an atom's shift owes to its neighbours."""

from typing import NamedTuple

import numpy as np
import torch

ELEMENTS = ("H", "C", "N", "O", "F")
VALENCE = (1, 4, 3, 2, 1)
PULL = np.array([2.20, 2.55, 3.04, 3.44, 3.98])
NUCLEI = {"1H": 0, "13C": 1, "15N": 2, "19F": 4}

BASE = np.array([1.1, 18.0, 30.0, 0.0, -140.0])
FIRST = np.array([1.6, 26.0, 40.0, 0.0, 22.0])
SECOND = np.array([0.35, 4.5, 6.0, 0.0, 7.0])
SCALE = np.array([1.0, 14.0, 20.0, 1.0, 18.0])  # ppm per unit of the model's output
RING = np.array([0.4, 5.0, 4.0, 0.0, 3.0])
MAX_ATOMS = 28


class Batch(NamedTuple):
    kinds: torch.Tensor  # [molecules, atoms], element numbers
    links: torch.Tensor  # [molecules, atoms, atoms], rows sum to 1
    target: torch.Tensor  # [molecules, atoms], (shift - base) / scale
    measured: torch.Tensor  # [molecules, atoms], 1 where there is a shift to predict


def grow(rng):
    """A skeleton of five to eight heavy atoms, perhaps with a ring, saturated with hydrogen."""
    kinds, free, bonds = [1], [4], []
    for _ in range(int(rng.integers(4, 8))):
        sites = [atom for atom, left in enumerate(free) if left > 0]
        if not sites:
            break
        site = sites[rng.integers(len(sites))]
        kind = int(rng.choice([1, 2, 3, 4], p=[0.64, 0.14, 0.14, 0.08]))
        bonds.append((site, len(kinds)))
        free[site] -= 1
        kinds.append(kind)
        free.append(VALENCE[kind] - 1)
    ring = []
    if rng.random() < 0.4:
        sites = [atom for atom, left in enumerate(free) if left > 0]
        if len(sites) >= 2:
            a, b = (int(atom) for atom in rng.choice(sites, 2, replace=False))
            if (a, b) not in bonds and (b, a) not in bonds:
                bonds.append((a, b))
                free[a] -= 1
                free[b] -= 1
                ring = [a, b]
    for atom in range(len(kinds)):
        for _ in range(free[atom]):
            bonds.append((atom, len(kinds)))
            kinds.append(0)
    return kinds, bonds, ring


def shifts(kinds, bonds, ring, rng):
    count = len(kinds)
    links = np.zeros((count, count), dtype=np.int64)
    for a, b in bonds:
        links[a, b] = links[b, a] = 1
    kinds = np.array(kinds)
    excess = PULL[kinds] - PULL[0]
    second = ((links @ links) > 0) & (links == 0) & ~np.eye(count, dtype=bool)
    shift = BASE[kinds] + FIRST[kinds] * (links * excess).sum(1) + SECOND[kinds] * (second * excess).sum(1)
    shift[ring] += RING[kinds[ring]]
    shift += 0.03 * SCALE[kinds] * rng.standard_normal(count)
    return kinds, links, shift


def make_molecules(count, seed):
    rng = np.random.default_rng(seed)
    kinds = np.full((count, MAX_ATOMS), 3, dtype=np.int64)  # padding is unmeasured, and linked to nothing
    links = np.zeros((count, MAX_ATOMS, MAX_ATOMS), dtype=np.float32)
    target = np.zeros((count, MAX_ATOMS), dtype=np.float32)
    measured = np.zeros((count, MAX_ATOMS), dtype=np.float32)
    for row in range(count):
        kind, link, shift = shifts(*grow(rng), rng)
        size = len(kind)
        kinds[row, :size] = kind
        links[row, :size, :size] = link / np.maximum(1, link.sum(1, keepdims=True))
        target[row, :size] = (shift - BASE[kind]) / SCALE[kind]
        measured[row, :size] = kind != 3
    return Batch(*(torch.tensor(array) for array in (kinds, links, target, measured)))


def take(batch, rows):
    return Batch(*(tensor[rows] for tensor in batch))
