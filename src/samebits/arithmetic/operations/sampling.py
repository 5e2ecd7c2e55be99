"""Values between the places of an image, where a grid says (docs/arithmetic.md, "Places").

Images are [N, C, H, W], grids [N, h, w, 2] with x before y, results [N, C, h, w].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations import cubic_sampling
from samebits.arithmetic.operations.coordinates import CUBIC, NEAREST, place, placed
from samebits.arithmetic.operations.formulas import formula


class _Corners:
    """The places around each point: for a corner its number, whether it exists, its distances."""

    def __init__(self, x: Tensor, grid: Tensor, padding: int, align: bool) -> None:
        self.sizes = x.shape[2:]
        self.column, self.slope_x = place(grid[..., 0], x.shape[3], padding, align)
        self.row, self.slope_y = place(grid[..., 1], x.shape[2], padding, align)

    def each(self) -> list[tuple[Tensor, Tensor, Tensor, Tensor, int, int]]:
        """Index, existence, share along x, share along y and their signs, row after row."""
        left, top = torch.floor(self.column), torch.floor(self.row)
        found = []
        for down in (0, 1):
            for right in (0, 1):
                part_x = self.column - left if right else left + 1 - self.column
                part_y = self.row - top if down else top + 1 - self.row
                index, inside = self.at(left + right, top + down)
                found.append((index, inside, part_x, part_y, 2 * right - 1, 2 * down - 1))
        return found

    def at(self, column: Tensor, row: Tensor) -> tuple[Tensor, Tensor]:
        """The number of a place, 0 where it does not exist, and whether it does."""
        height, width = self.sizes
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        number = torch.where(inside, row, 0.0).long() * width
        return number + torch.where(inside, column, 0.0).long(), inside

    def nearest(self) -> tuple[Tensor, Tensor]:
        """The number of the nearest place, of two the even one, and whether it exists."""
        return self.at(torch.round(self.column), torch.round(self.row))


def _base(size: Any, align: bool, like: Tensor) -> Tensor:
    """[places, axes + 1]: the coordinates of every place, the last axis first, and 1."""
    axes = [
        torch.linspace(-1, 1, count, dtype=like.dtype) * (1.0 if align else (count - 1) / count)
        if count > 1
        else torch.zeros(1, dtype=like.dtype)
        for count in size[2:]
    ]
    own = torch.meshgrid(*axes, indexing="ij")
    columns = [axis.reshape(-1) for axis in reversed(own)]
    return torch.stack([*columns, torch.ones_like(columns[0])], 1)


@formula("aten.affine_grid_generator")
def affine_grid(theta: Tensor, size: Any, align: bool) -> Tensor:
    """The product of the places' coordinates and each matrix."""
    base = _base(size, align, theta).expand(theta.shape[0], -1, -1)
    return torch.bmm(base, theta.transpose(1, 2)).view(size[0], *size[2:], len(size) - 2)


def _check(x: Tensor, grid: Tensor) -> None:
    if x.ndim != 4 or grid.ndim != 4 or grid.shape[-1] != 2 or x.shape[0] != grid.shape[0]:
        raise RuntimeError(f"a grid of {list(grid.shape)} does not fit {list(x.shape)}")


def _read(x: Tensor, index: Tensor, inside: Tensor) -> Tensor:
    """[N, C, h, w]: the value at each number, 0 where there is no place."""
    flat = x.flatten(2)
    picked = flat.gather(2, index.flatten(1).unsqueeze(1).expand(-1, x.shape[1], -1))
    picked = picked.view(*x.shape[:2], *index.shape[1:])
    return torch.where(inside.unsqueeze(1), picked, 0.0)


@formula("aten.grid_sampler_2d")
def grid_sampler(x: Tensor, grid: Tensor, mode: int, padding: int, align: bool) -> Tensor:
    """The corners' values times their shares, row after row; or the nearest place's."""
    _check(x, grid)
    if mode == CUBIC:
        return cubic_sampling.sampled(x, grid, padding, align)
    corners = _Corners(x, grid, padding, align)
    if mode == NEAREST:
        return _read(x, *corners.nearest())
    found = None
    for index, inside, part_x, part_y, _, _ in corners.each():
        term = _read(x, index, inside) * (part_x * part_y).unsqueeze(1)
        found = term if found is None else found + term
    assert found is not None
    return found


@formula("aten.grid_sampler_2d_backward")
def grid_sampler_backward(
    grad: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align: bool, wanted: Any
) -> tuple[Tensor | None, Tensor]:
    """Corner after corner: the gradient times the share for x, and the slopes for the grid."""
    _check(x, grid)
    if mode == CUBIC:
        return cubic_sampling.returned(grad, x, grid, padding, align, wanted)
    corners = _Corners(x, grid, padding, align)
    given: list[tuple[Tensor, Tensor]] = []

    def give(index: Tensor, inside: Tensor, values: Tensor) -> None:
        if wanted[0]:
            given.append((torch.where(inside, index, -1), values))

    slope_x, slope_y = torch.zeros_like(corners.column), torch.zeros_like(corners.row)
    if mode == NEAREST:
        give(*corners.nearest(), grad)
    else:
        for index, inside, part_x, part_y, sign_x, sign_y in corners.each():
            give(index, inside, grad * (part_x * part_y).unsqueeze(1))
            total = (grad * _read(x, index, inside)).sum(1)
            slope_x = slope_x + total * part_y * sign_x
            slope_y = slope_y + total * part_x * sign_y
    slopes = torch.stack([slope_x * corners.slope_x, slope_y * corners.slope_y], -1)
    return placed(x, given) if wanted[0] else None, slopes
