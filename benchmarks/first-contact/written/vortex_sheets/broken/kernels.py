"""Sums over all pairs of vortices, a block of sources at a time so that the distances fit into the cache."""
import math

import torch


def _blocks(points, sources, strength, block, pair):
    total = None
    for part, gamma in zip(sources.split(block), strength.split(block)):
        dx = points[:, None, 0] - part[None, :, 0]
        dy = points[:, None, 1] - part[None, :, 1]
        term = pair(dx, dy, dx * dx + dy * dy + 4e-4, gamma)
        total = term if total is None else total + term
    return total / (2 * math.pi)


def velocity(points, sources, strength, block):
    def pair(dx, dy, r2, gamma):
        weight = gamma / r2
        return torch.stack([-(weight * dy).sum(1), (weight * dx).sum(1)], dim=1)
    return _blocks(points, sources, strength, block, pair)


def strain(points, sources, strength, block):
    def pair(dx, dy, r2, gamma):
        weight = gamma / (r2 * r2)
        return torch.stack([(2 * weight * dx * dy).sum(1), (weight * (dy * dy - dx * dx)).sum(1)], dim=1)
    return _blocks(points, sources, strength, block, pair)


def stream(points, sources, strength, block):
    def pair(dx, dy, r2, gamma):
        return (-0.5 * gamma * r2.log()).sum(1, keepdim=True)
    return _blocks(points, sources, strength, block, pair)
