"""Synthetic oligomers: a backbone of repeat units with side groups, and a glass transition temperature."""

from dataclasses import dataclass

import numpy as np
import torch
from torch_geometric.data import Data

ATOMS = ["C", "N", "O", "F", "Si"]
# name, backbone atoms, side chains (atom, length), stiffness, polarity
UNITS = {
    "styrenic": (["C", "C"], [("C", 6)], 1.00, 0.05),
    "acrylic": (["C", "C"], [("O", 2), ("C", 1)], 0.72, 0.45),
    "siloxane": (["Si", "O"], [("C", 1), ("C", 1)], 0.10, 0.12),
    "amide": (["C", "C", "N", "C"], [("O", 1)], 0.85, 0.90),
    "ether": (["C", "C", "O"], [], 0.25, 0.30),
    "fluoro": (["C", "C"], [("F", 1), ("F", 1), ("F", 1)], 0.60, 0.25),
}


@dataclass
class Oligomer:
    name: str
    atoms: list
    bonds: list
    tg: float


def grow(rng, number):
    """One random copolymer of two kinds of units, 12 to 22 units long."""
    kinds = sorted(UNITS)
    first, second = rng.choice(len(kinds), size=2, replace=False)
    share = rng.uniform(0.2, 0.8)
    length = int(rng.integers(12, 23))
    atoms, bonds = [], []
    tail = None
    stiffness, polarity = [], []
    for _ in range(length):
        kind = kinds[first] if rng.random() < share else kinds[second]
        backbone, sides, stiff, polar = UNITS[kind]
        stiffness.append(stiff)
        polarity.append(polar)
        for place, symbol in enumerate(backbone):
            atoms.append(symbol)
            here = len(atoms) - 1
            if tail is not None:
                bonds.append((tail, here))
            tail = here
            if place == 1:
                for side_symbol, side_length in sides:
                    anchor = here
                    for _ in range(side_length):
                        atoms.append(side_symbol)
                        bonds.append((anchor, len(atoms) - 1))
                        anchor = len(atoms) - 1
    if rng.random() < 0.3:  # a crosslink somewhere along the chain
        a, b = sorted(rng.choice(len(atoms), size=2, replace=False).tolist())
        bonds.append((a, b))
    blockiness = np.abs(np.diff(stiffness)).mean()
    tg = 150 + 210 * np.mean(stiffness) + 90 * np.mean(polarity) - 700 / length - 30 * blockiness
    return Oligomer(f"P{number:04d}", atoms, bonds, float(tg + rng.normal(0, 4)))


def to_data(oligomer):
    index = {symbol: i for i, symbol in enumerate(ATOMS)}
    kinds = torch.tensor([index[symbol] for symbol in oligomer.atoms])
    edges = torch.tensor(oligomer.bonds).t()
    edges = torch.cat([edges, edges.flip(0)], dim=1)
    return Data(
        kind=kinds,
        edge_index=edges,
        y=torch.tensor([oligomer.tg], dtype=torch.float32),
        num_nodes=len(oligomer.atoms),
        name=oligomer.name,
    )


def library(count, seed):
    rng = np.random.default_rng(seed)
    return [to_data(grow(rng, number)) for number in range(count)]
