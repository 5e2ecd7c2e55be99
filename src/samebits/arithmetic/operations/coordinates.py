"""Where a grid's coordinates lie among the places of an image (docs/arithmetic.md, "Places")."""

from __future__ import annotations

import torch
from torch import Tensor

from samebits.arithmetic.operations.pooling import add_to_places

NEAREST, CUBIC = 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2


def unheld(x: Tensor, size: int, align: bool) -> tuple[Tensor, Tensor]:
    """Where a coordinate from −1 to 1 lies, also beyond the places, and the derivative of that."""
    if align:
        return (x + 1) / 2 * (size - 1), torch.full_like(x, (size - 1) / 2)
    return ((x + 1) * size - 1) / 2, torch.full_like(x, size / 2)


def held(where: Tensor, size: int, padding: int, align: bool) -> tuple[Tensor, Tensor]:
    """The same within the places, reflected or at the border, and the derivative: 1, −1 or 0."""
    slope = torch.ones_like(where)
    if padding == REFLECTION:
        low, span = (0.0, size - 1.0) if align else (-0.5, float(size))
        if span == 0:
            return torch.zeros_like(where), torch.zeros_like(where)
        offset = torch.abs(where - low)
        rest = torch.fmod(offset, span)
        even = torch.floor(offset / span) % 2 == 0
        slope = torch.where((where < low) == even, -slope, slope)
        where = torch.where(even, rest + low, span - rest + low)
    if padding != ZEROS:
        slope = torch.where((where > 0) & (where < size - 1), slope, 0.0)
        where = where.clamp(0, size - 1)
    return where, slope


def place(x: Tensor, size: int, padding: int, align: bool) -> tuple[Tensor, Tensor]:
    """Where a coordinate from −1 to 1 lies among the places, and the derivative of that."""
    where, slope = unheld(x, size, align)
    where, turned = held(where, size, padding, align)
    return where, torch.where(turned == 0, 0.0, torch.where(turned < 0, -slope, slope))


def placed(x: Tensor, given: list[tuple[Tensor, Tensor]]) -> Tensor:
    """The sum of what comes to each place: for every corner numbers and values.

    Args:
        x: [N, C, places].
        given: For each corner of the points numbers of places, [N, points], −1 for none, and
            values, [N, C, points].
    """
    index = torch.stack([places for places, _ in given], -1).flatten(1)
    values = torch.stack([own for _, own in given], -1).flatten(2)
    sums = [
        add_to_places(own, places[None], x.shape[2:], skipped=-1)
        for own, places in zip(values, index, strict=True)
    ]
    return torch.stack(sums).view(x.shape) if sums else torch.zeros_like(x)
