"""Values reduced into the places that indices name (docs/arithmetic.md, "Places").

Results have the shape of x; the index and the source have at least as many elements along each
axis as are read.
"""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from samebits.arithmetic.operations.formulas import formula

aten = torch.ops.aten

_REDUCTIONS = ("sum", "mean", "prod", "amax", "amin")
_NAMES = {"add": "sum", "multiply": "prod"}
"""What `scatter` calls its reductions."""


def _lines(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """The number of the place in row-major x to which each element of an index points."""
    places = torch.arange(x.numel()).view(x.shape)
    if not x.ndim:
        return places.view(1).expand(index.numel())
    along = dim % x.ndim
    own = [slice(0, n) if d != along else slice(None) for d, n in enumerate(index.shape)]
    return places[tuple(own)].gather(dim, index).reshape(-1)


def _products(places: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Each place that occurs, and the product of its values, halved as by `prod`, in binary64."""
    order = torch.argsort(places, stable=True)
    place, value = places[order], values.double()[order]
    begin = torch.searchsorted(place, place)
    count = torch.searchsorted(place, place, right=True) - begin
    rank = torch.arange(place.numel()) - begin
    while count.numel() and int(count.max()) > 1:
        half = (count + 1) // 2
        partner = torch.arange(place.numel()) + half
        paired = rank + half < count
        other = value[torch.where(paired, partner, 0)]
        value = torch.where(paired, value * other, value)
        kept = rank < half
        place, value, rank, count = (t[kept] for t in (place, value, rank, half))
    return place, value


def _product(x: Tensor, dim: int, index: Tensor, source: Tensor, *, include_self: bool) -> Tensor:
    flat = x.reshape(-1).clone()
    places, values = _lines(x, dim, index), source.reshape(-1)
    if include_self:
        touched = torch.unique(places)
        places, values = torch.cat([touched, places]), torch.cat([flat[touched], values])
    place, value = _products(places, values)
    return flat.index_copy(0, place, value.to(x.dtype)).view(x.shape)


def _extreme(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool
) -> Tensor:
    """The extreme for each place: of values with one zero and one NaN any order finds the same."""
    start = x + 0.0 if include_self else x.scatter(dim, index, -inf if reduce == "amax" else inf)
    with _disable_current_modes():  # what torch compares is exact
        return aten.scatter_reduce.two(start, dim, index, source, reduce)  # type: ignore[no-any-return]


@formula("aten.scatter_reduce.two")
def scatter_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Values along an axis added to the places of an index; or their mean, product or extreme."""
    if reduce not in _REDUCTIONS:
        raise RuntimeError(f"reduce is one of {', '.join(_REDUCTIONS)}, not {reduce}")
    if not index.numel():
        return x.clone()
    source = source if not x.ndim else source[tuple(slice(0, size) for size in index.shape)]
    if reduce == "prod":
        return _product(x, dim, index, source, include_self=include_self)
    touched = torch.zeros(x.shape, dtype=torch.int64)
    touched = touched.scatter_add(dim, index, torch.ones_like(index, dtype=torch.int64))
    if reduce in ("amax", "amin"):
        found = _extreme(x, dim, index, source + 0.0, reduce, include_self=include_self)
        return torch.where(touched > 0, found, x)
    start = x if include_self else torch.where(touched > 0, 0.0, x)
    total = start.scatter_add(dim, index, source)
    if reduce == "sum":
        return total
    count = touched + 1 if include_self else touched.clamp(min=1)
    return total / count


@formula("aten.scatter.reduce")
def scatter(x: Tensor, dim: int, index: Tensor, source: Tensor, *, reduce: str) -> Any:
    """`scatter_reduce` by addition or multiplication."""
    return torch.scatter_reduce(x, dim, index, source, _NAMES.get(reduce, reduce))


@formula("aten.scatter.value_reduce")
def scatter_value(x: Tensor, dim: int, index: Tensor, value: Any, *, reduce: str) -> Any:
    """`scatter_reduce` of one number."""
    source = torch.full(index.shape, value, dtype=x.dtype)
    return torch.scatter_reduce(x, dim, index, source, _NAMES.get(reduce, reduce))


@formula("aten.index_reduce")
def index_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Any:
    """`scatter_reduce` of whole slices."""
    if index.ndim > 1 or index.numel() != (source.shape[dim] if source.ndim else 1):
        raise RuntimeError(f"index_reduce wants a number for each slice of {list(source.shape)}")
    shape = [1] * x.ndim
    if x.ndim:
        shape[dim] = -1
    spread = index.reshape(shape).expand(source.shape)
    return torch.scatter_reduce(x, dim, spread, source, reduce, include_self=include_self)
