"""Values between the places of a volume, where a grid says (docs/arithmetic.md, "Places").

Volumes are [N, C, D, H, W], grids [N, d, h, w, 3] with x before y before z, results
[N, C, d, h, w].
"""

from __future__ import annotations

import itertools
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.coordinates import NEAREST, place, placed
from samebits.arithmetic.operations.formulas import formula


class _VolumeCorners:
    """The eight places around each point; axes are x, y and z."""

    def __init__(self, x: Tensor, grid: Tensor, padding: int, align: bool) -> None:
        if x.ndim != 5 or grid.ndim != 5 or grid.shape[-1] != 3 or x.shape[0] != grid.shape[0]:
            raise RuntimeError(f"a grid of {list(grid.shape)} does not fit {list(x.shape)}")
        self.sizes = x.shape[:1:-1]
        self.where, self.slopes = zip(
            *(place(grid[..., axis], self.sizes[axis], padding, align) for axis in range(3)),
            strict=True,
        )

    def at(self, places: list[Tensor]) -> tuple[Tensor, Tensor]:
        """The number of a place, 0 where it does not exist, and whether it does."""
        number = torch.zeros(places[0].shape, dtype=torch.int64)
        inside = torch.ones(places[0].shape, dtype=torch.bool)
        for own, size in zip(places, self.sizes, strict=True):
            inside = inside & (own >= 0) & (own < size)
        for own, size in reversed(list(zip(places, self.sizes, strict=True))):
            number = number * size + torch.where(inside, own, 0.0).long()
        return number, inside

    def nearest(self) -> tuple[Tensor, Tensor]:
        """The number of the nearest place, of two the even one, and whether it exists."""
        return self.at([torch.round(own) for own in self.where])

    def each(self) -> list[tuple[Tensor, Tensor, list[Tensor], tuple[int, int, int]]]:
        """Index, existence, shares and which ends: x changes first, z last."""
        low = [torch.floor(own) for own in self.where]
        found = []
        for z, y, x in itertools.product((0, 1), repeat=3):
            ends = (x, y, z)
            shares = [
                own - below if end else below + 1 - own
                for own, below, end in zip(self.where, low, ends, strict=True)
            ]
            index, inside = self.at([below + end for below, end in zip(low, ends, strict=True)])
            found.append((index, inside, shares, ends))
        return found


def _spread(x: Tensor, index: Tensor) -> Tensor:
    return index.flatten(1).unsqueeze(1).expand(-1, x.shape[1], -1)


def _read(x: Tensor, index: Tensor, inside: Tensor) -> Tensor:
    picked = x.flatten(2).gather(2, _spread(x, index)).view(*x.shape[:2], *index.shape[1:])
    return torch.where(inside.unsqueeze(1), picked, 0.0)


@formula("aten.grid_sampler_3d")
def grid_sampler(x: Tensor, grid: Tensor, mode: int, padding: int, align: bool) -> Tensor:
    """The corners' values times their shares; or the nearest place's."""
    corners = _VolumeCorners(x, grid, padding, align)
    if mode == NEAREST:
        return _read(x, *corners.nearest())
    found = None
    for index, inside, (a, b, c), _ in corners.each():
        term = _read(x, index, inside) * (a * b * c).unsqueeze(1)
        found = term if found is None else found + term
    assert found is not None
    return found


@formula("aten.grid_sampler_3d_backward")
def grid_sampler_backward(
    grad: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align: bool, wanted: Any
) -> tuple[Tensor | None, Tensor]:
    """Corner after corner: the gradient times the share for x, and the slopes for the grid."""
    corners = _VolumeCorners(x, grid, padding, align)
    given: list[tuple[Tensor, Tensor]] = []

    def give(index: Tensor, inside: Tensor, values: Tensor) -> None:
        if wanted[0]:
            given.append((torch.where(inside, index, -1), values))

    slopes = [torch.zeros_like(where) for where in corners.where]
    if mode == NEAREST:
        give(*corners.nearest(), grad)
    else:
        for index, inside, (a, b, c), ends in corners.each():
            give(index, inside, grad * (a * b * c).unsqueeze(1))
            total = (grad * _read(x, index, inside)).sum(1)
            for axis, others in enumerate((b * c, a * c, a * b)):
                slopes[axis] = slopes[axis] + total * others * (2 * ends[axis] - 1)
    found = [slope * own for slope, own in zip(slopes, corners.slopes, strict=True)]
    return placed(x, given) if wanted[0] else None, torch.stack(found, -1)
