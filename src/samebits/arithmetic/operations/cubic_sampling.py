"""Cubic interpolation where a grid says (docs/arithmetic.md, "Places").

Images are [N, C, H, W], grids [N, h, w, 2] with x before y, results [N, C, h, w].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.coordinates import ZEROS, held, placed, unheld

_A = -0.75
"""The slope of torch's cubic kernel at distance 1."""


def _weights(t: Tensor) -> list[Tensor]:
    """The weights of the places −1 to 2 from the one below, which is t away."""
    far, more = t + 1, 2 - t
    back = 1 - t
    return [_outer(far), _inner(t), _inner(back), _outer(more)]


def _inner(t: Tensor) -> Tensor:
    return ((_A + 2) * t - (_A + 3)) * t * t + 1


def _outer(t: Tensor) -> Tensor:
    return ((_A * t - 5 * _A) * t + 8 * _A) * t - 4 * _A


def _slopes(t: Tensor) -> list[Tensor]:
    """The derivatives of the weights."""
    return [_outer_slope(t + 1), _inner_slope(t), -_inner_slope(1 - t), -_outer_slope(2 - t)]


def _inner_slope(t: Tensor) -> Tensor:
    return (3 * (_A + 2) * t - 2 * (_A + 3)) * t


def _outer_slope(t: Tensor) -> Tensor:
    return (3 * _A * t - 10 * _A) * t + 8 * _A


class _Squares:
    """The four by four places around each point."""

    def __init__(self, x: Tensor, grid: Tensor, padding: int, align: bool) -> None:
        self.height, self.width = x.shape[2:]
        self.padding, self.align = padding, align
        column, self.slope_x = unheld(grid[..., 0], self.width, align)
        row, self.slope_y = unheld(grid[..., 1], self.height, align)
        self.left, self.top = torch.floor(column), torch.floor(row)
        self.x, self.y = column - self.left, row - self.top

    def at(self, down: int, right: int) -> tuple[Tensor, Tensor]:
        """The number of a place, 0 where it does not exist, and whether it does."""
        column, row = self.left + (right - 1), self.top + (down - 1)
        if self.padding != ZEROS:
            column, _ = held(column, self.width, self.padding, self.align)
            row, _ = held(row, self.height, self.padding, self.align)
        inside = (column >= 0) & (column < self.width) & (row >= 0) & (row < self.height)
        number = torch.where(inside, row, 0.0).long() * self.width
        return number + torch.where(inside, column, 0.0).long(), inside


def _read(x: Tensor, index: Tensor, inside: Tensor) -> Tensor:
    spread = index.flatten(1).unsqueeze(1).expand(-1, x.shape[1], -1)
    picked = x.flatten(2).gather(2, spread).view(*x.shape[:2], *index.shape[1:])
    return torch.where(inside.unsqueeze(1), picked, 0.0)


def _sum(terms: list[Tensor]) -> Tensor:
    total = terms[0]
    for term in terms[1:]:
        total = total + term
    return total


def sampled(x: Tensor, grid: Tensor, padding: int, align: bool) -> Tensor:
    """Each row's four values times their weights, then the rows' times theirs."""
    own = _Squares(x, grid, padding, align)
    across, down = _weights(own.x), _weights(own.y)
    rows = [
        _sum([_read(x, *own.at(j, i)) * across[i].unsqueeze(1) for i in range(4)]) for j in range(4)
    ]
    return _sum([rows[j] * down[j].unsqueeze(1) for j in range(4)])


def returned(
    grad: Tensor, x: Tensor, grid: Tensor, padding: int, align: bool, wanted: Any
) -> tuple[Tensor | None, Tensor]:
    """Place after place, row by row: grad times both weights for x; the slopes for the grid."""
    own = _Squares(x, grid, padding, align)
    across, down = _weights(own.x), _weights(own.y)
    slopes_x, slopes_y = _slopes(own.x), _slopes(own.y)
    given: list[tuple[Tensor, Tensor]] = []
    to_x, to_y = [], []
    for j in range(4):
        for i in range(4):
            index, inside = own.at(j, i)
            if wanted[0]:
                values = grad * (across[i] * down[j]).unsqueeze(1)
                given.append((torch.where(inside, index, -1), values))
            total = (grad * _read(x, index, inside)).sum(1)
            to_x.append(total * (slopes_x[i] * down[j]))
            to_y.append(total * (across[i] * slopes_y[j]))
    slopes = torch.stack([_sum(to_x) * own.slope_x, _sum(to_y) * own.slope_y], -1)
    return placed(x, given) if wanted[0] else None, slopes
