"""Sums of what places take from others: weighted along an axis, or from boxes of an image."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from samebits.arithmetic import _exact
from samebits.arithmetic.operations.embedding import add_rows

BLOCK = 4096
"""Values of one block of a sum: the kernels here take no more for a place."""


def weighted(x: Tensor, axis: int, begins: Tensor, sources: Tensor, weights: Tensor) -> Tensor:
    """For each new place along an axis the sum of the weighted places that it reads.

    Args:
        x: float32 or float64.
        axis: The axis, negative.
        begins: [M + 1], int64: where each new place's share of the list begins.
        sources: [K], int64: the places that are read.
        weights: [K], their weights.

    Returns:
        A tensor like x, with M places along the axis.
    """
    outer, inner = math.prod(x.shape[:axis]), math.prod(x.shape[x.ndim + axis + 1 :])
    count = begins.numel() - 1
    out = torch.empty((outer, count, inner), dtype=x.dtype)
    lines = x.contiguous().view(outer, x.shape[axis], inner)
    if out.numel():
        _exact.weighted(out, lines, begins, sources, weights.to(x.dtype))
    return out.view(*x.shape[:axis], count, *x.shape[x.ndim + axis + 1 :])


def returned(
    grad: Tensor, axis: int, size: int, begins: Tensor, sources: Tensor, weights: Tensor
) -> Tensor:
    """The derivative of `weighted` for an axis of some size: what each place was read for."""
    with _disable_current_modes():  # whole numbers, which torch computes as well as we
        readers = torch.repeat_interleave(begins.diff())
        order = torch.argsort(sources, stable=True)
        uses = torch.bincount(sources, minlength=size)
        ends = torch.cat([torch.zeros(1, dtype=torch.int64), uses.cumsum(0)])
        few = not size or int(uses.max()) <= BLOCK
    if few:
        return weighted(grad, axis, ends, readers[order], weights[order])
    # More for one place than the kernel takes.
    moved = grad.movedim(axis, 0).index_select(0, readers)
    shape = [-1, *[1] * (moved.ndim - 1)]
    rows = (moved * weights.to(grad.dtype).view(shape)).flatten(1)
    found = add_rows(torch.zeros((size, rows.shape[1]), dtype=grad.dtype), sources, rows)
    return found.view(size, *moved.shape[1:]).movedim(0, axis)


def boxes(
    x: Tensor, rows: Sequence[Tensor], columns: Sequence[Tensor], divisors: Tensor | None
) -> Tensor:
    """The sum of each box of places of an image, what lies beyond it counted as 0, divided.

    Args:
        x: [P, H, W], float32 or float64.
        rows: The first row of each box and the one after its last, [A] each, int64.
        columns: The same for columns, [B].
        divisors: [A, B], or None.

    Returns:
        [P, A, B].
    """
    out = torch.empty((x.shape[0], rows[0].numel(), columns[0].numel()), dtype=x.dtype)
    own = None if divisors is None else divisors.to(x.dtype).contiguous()
    if out.numel():
        ends = (*rows, *columns)
        _exact.boxes(out, x.contiguous(), tuple(end.contiguous() for end in ends), own)
    return out
