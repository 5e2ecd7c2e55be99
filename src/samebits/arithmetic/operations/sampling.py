"""Values between the places of an image, where a grid says (docs/arithmetic.md, "Places").

Images are [N, C, H, W], grids [N, h, w, 2] with x before y, results [N, C, h, w].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.operations import cubic_sampling
from samebits.arithmetic.operations.coordinates import CUBIC, NEAREST, place, placed
from samebits.arithmetic.operations.formulas import formula


def _nearest(
    x: Tensor, grid: Tensor, padding: int, align: bool
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
    """[N, h, w]: number of the nearest place, of two the even one; whether it exists; slopes."""
    height, width = x.shape[2:]
    column, slope_x = place(grid[..., 0], width, padding, align)
    row, slope_y = place(grid[..., 1], height, padding, align)
    column, row = torch.round(column), torch.round(row)
    inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
    number = torch.where(inside, row, 0.0).long() * width
    return number + torch.where(inside, column, 0.0).long(), inside, (slope_x, slope_y)


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
    if mode == NEAREST or not x.numel() or not grid.numel():
        index, inside, _ = _nearest(x, grid, padding, align)
        return _read(x, index, inside)
    out = torch.empty((*x.shape[:2], *grid.shape[1:3]), dtype=x.dtype)
    _exact.grid_sample(out, x.contiguous(), grid.contiguous(), padding, align)
    return out


@formula("aten.grid_sampler_2d_backward")
def grid_sampler_backward(
    grad: Tensor, x: Tensor, grid: Tensor, mode: int, padding: int, align: bool, wanted: Any
) -> tuple[Tensor | None, Tensor]:
    """Corner after corner: the gradient times the share for x, and the slopes for the grid."""
    _check(x, grid)
    if mode == CUBIC:
        return cubic_sampling.returned(grad, x, grid, padding, align, wanted)
    if mode == NEAREST or not x.numel() or not grid.numel():
        index, inside, slopes = _nearest(x, grid, padding, align)
        of_grid = torch.stack([slope * 0.0 for slope in slopes], -1)
        given = [(torch.where(inside, index, -1), grad)]
        return placed(x, given) if wanted[0] else None, of_grid
    of_x = torch.empty(x.shape, dtype=x.dtype) if wanted[0] else None
    of_grid = torch.empty(grid.shape, dtype=grid.dtype)
    tensors = (grad.contiguous(), x.contiguous(), grid.contiguous())
    _exact.grid_sample_backward(of_x, of_grid, *tensors, padding, align)
    return of_x, of_grid
