"""Random carbon skeletons of isoprene units with an approximate boiling point."""
import numpy as np
import torch

ELEMENTS = ("C", "O", "N")


def skeleton(rng):
    units = int(rng.integers(2, 5))
    bonds, elements = [], []
    for unit in range(units):
        first = len(elements)
        elements += [0] * 5
        bonds += [(first, first + 1), (first + 1, first + 2), (first + 2, first + 3), (first + 1, first + 4)]
        if unit:
            bonds.append((int(rng.integers(0, first)), first))
    for place in rng.choice(len(elements), size=int(rng.integers(0, 3)), replace=False):
        elements[place] = int(rng.integers(1, 3))
    return elements, bonds


def boiling_point(elements, bonds, rng):
    degree = np.bincount(np.array(bonds).ravel(), minlength=len(elements))
    branching = (degree > 2).sum()
    polar = sum(1 for e in elements if e)
    return 0.12 * len(elements) - 0.08 * branching + 0.35 * polar + rng.normal(0, 0.03)


def corpus(count):
    rng = np.random.default_rng(404)
    items = []
    for _ in range(count):
        elements, bonds = skeleton(rng)
        items.append((elements, bonds, boiling_point(elements, bonds, rng)))
    return items


def collate(items):
    """One big graph: node elements, edges both ways, the molecule of each node, targets."""
    nodes, edges, owner, targets = [], [], [], []
    for number, (elements, bonds, target) in enumerate(items):
        shift = len(nodes)
        nodes += elements
        owner += [number] * len(elements)
        for a, b in bonds:
            edges += [(a + shift, b + shift), (b + shift, a + shift)]
        targets.append(target)
    return (torch.tensor(nodes), torch.tensor(edges).T.contiguous(), torch.tensor(owner),
            torch.tensor(targets, dtype=torch.float32))
