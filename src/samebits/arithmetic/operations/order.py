"""Sorting and choosing by order, ties by their places (docs/arithmetic.md, "Order").

Results lose the axis that they choose along, or keep it with size 1 (`keepdim`); of k chosen
ones it has the size k.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic.operations.placing import taken
from samebits.arithmetic.registry import decomposition, kernel


def _sorted(x: torch.Tensor, dim: int, descending: bool) -> tuple[torch.Tensor, torch.Tensor]:
    values, places = torch.sort(x, stable=True, dim=dim, descending=descending)
    return values, places


@kernel("aten.sort")
def sort(op: Any, x: torch.Tensor, dim: int = -1, descending: bool = False) -> Any:
    """In order; equal values in that of their places."""
    return _sorted(x, dim, descending)


@kernel("aten.sort.stable")
def sort_stable(
    op: Any, x: torch.Tensor, *, stable: bool | None, dim: int = -1, descending: bool = False
) -> Any:
    """As `sort`, whatever is asked for."""
    return _sorted(x, dim, descending)


@kernel("aten.topk")
def topk(
    op: Any, x: torch.Tensor, k: int, dim: int = -1, largest: bool = True, *ordered: bool
) -> Any:
    """The first k of the stable order, the largest or the smallest first."""
    if x.ndim == 0 or not 0 < k < x.shape[dim] or not x.numel():
        if x.ndim and k != x.shape[dim]:
            return op(x, k, dim, largest, *ordered)  # nothing, or torch's error
        values, places = _sorted(x, dim, largest)
        return (values, places) if k else op(x, k, dim, largest, *ordered)
    line = x.movedim(dim, -1)
    places = _chosen(line, k, largest)
    values, order = _sorted(taken(line, -1, places), -1, largest)
    return values.movedim(-1, dim), places.gather(-1, order).movedim(-1, dim)


def _chosen(x: torch.Tensor, k: int, largest: bool) -> torch.Tensor:
    """Places of the first k in order along the last axis, ascending: of equal ones the first."""
    if x.is_floating_point() and bool((x != x).any()):
        return _sorted(x, -1, largest)[1][..., :k].sort(-1).values
    bound = x.topk(k, -1, largest).values[..., -1:]
    beyond = x > bound if largest else x < bound
    equal = x == bound
    wanted = k - beyond.sum(-1, keepdim=True)
    kept = beyond | (equal & (equal.cumsum(-1) <= wanted))
    return kept.nonzero()[:, -1].view(*x.shape[:-1], k)


def _picked(
    x: torch.Tensor, order: torch.Tensor, number: torch.Tensor, dim: int, keepdim: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """The values, and their places, that have a number in an order along an axis."""
    places = order.gather(dim, number)
    values = taken(x, dim, places)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


@kernel("aten.kthvalue")
def kthvalue(op: Any, x: torch.Tensor, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    """Number k − 1 of the stable ascending order."""
    if x.ndim == 0 or not 0 < k <= x.shape[dim] or not x.numel():
        return op(x, k, dim, keepdim)
    _, order = _sorted(x, dim, False)
    return _picked(x, order, torch.full_like(order.narrow(dim, 0, 1), k - 1), dim, keepdim)


@kernel("aten.median.dim", "aten.nanmedian.dim")
def median(op: Any, x: torch.Tensor, dim: int, keepdim: bool = False) -> Any:
    """Number ⌊(n − 1) ÷ 2⌋ of the stable ascending order; or the first NaN, where one counts."""
    if x.ndim == 0 or not x.numel():
        return op(x, dim, keepdim)
    _, order = _sorted(x, dim, False)
    count = torch.full_like(order.narrow(dim, 0, 1), x.shape[dim])
    if x.is_floating_point():
        nan = (x != x).sum(dim, keepdim=True)
        if "nanmedian" in str(op):
            count = count - nan
        else:
            # NaN stand at the end, in the order of their places.
            middle = (count - 1) // 2
            number = torch.where(nan > 0, count - nan, middle)
            return _picked(x, order, number, dim, keepdim)
    return _picked(x, order, ((count - 1) // 2).clamp(min=0), dim, keepdim)


@kernel("aten.mode")
def mode(op: Any, x: torch.Tensor, dim: int = -1, keepdim: bool = False) -> Any:
    """The commonest value, of several the smallest, and the last of its places."""
    if x.ndim == 0 or not x.numel():
        return op(x, dim, keepdim)
    values, order = _sorted(x.movedim(dim, -1), -1, False)
    numbers = torch.arange(values.shape[-1]).expand(values.shape)
    begins = torch.ones(values.shape, dtype=torch.bool)
    begins[..., 1:] = values[..., 1:] != values[..., :-1]
    first = torch.where(begins, numbers, 0).cummax(-1).values
    length = numbers - first
    # Where a run becomes the longest for the first time: its end.
    longest = (length == length.amax(-1, keepdim=True)).to(torch.uint8)
    end = torch.where(longest.bool(), numbers, values.shape[-1]).amin(-1, keepdim=True)
    line = x.movedim(dim, -1)
    found, places = _picked(line, order, end, -1, True)
    found, places = found.movedim(-1, dim), places.movedim(-1, dim)
    return (found, places) if keepdim else (found.squeeze(dim), places.squeeze(dim))


@decomposition("aten.allclose", under_mode=True)
def allclose(op: Any, x: Any, y: Any, *tolerances: Any, **named: Any) -> bool:
    """Whether |x − y| ≤ atol + rtol × |y| everywhere, or x = y."""
    return bool(torch.isclose(x, y, *tolerances, **named).all())
