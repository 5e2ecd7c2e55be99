"""Sums of rows that indices pick, and products of three tensors (docs/arithmetic.md, "Places").

Bags are [bags, D] for a table of [rows, D]. Reductions into places have the shape of x, and the
index and the source at least as many elements along each axis as are read.
"""

from __future__ import annotations

from math import inf
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.refusal import not_exact

SUM, MEAN, MAX = 0, 1, 2


@formula("aten._embedding_bag", "aten._embedding_bag_forward_only")
def embedding_bag(
    table: Tensor, index: Tensor, offsets: Tensor, by_frequency: bool = False, mode: int = SUM,
    sparse: bool = False, weights: Tensor | None = None, last: bool = False, padding: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """The sum of each bag's rows, divided by their number for a mean."""
    if mode == MAX:
        raise not_exact("aten._embedding_bag", "the largest of a bag has no form here")
    if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < table.shape[0]:
        raise RuntimeError(f"an index of the bags lies outside of {table.shape[0]} rows")
    begins = offsets[:-1] if last else offsets
    bag = torch.searchsorted(begins.contiguous(), torch.arange(index.numel()), right=True) - 1
    kept = index != padding
    rows = table.index_select(0, index)
    if weights is not None:
        rows = rows * weights.unsqueeze(1)
    sizes = torch.bincount(bag[kept], minlength=begins.numel())
    found = torch.zeros(begins.numel(), table.shape[1], dtype=rows.dtype)
    found = found.index_add(0, bag[kept], rows[kept])
    if mode == MEAN:
        found = found / sizes.clamp(min=1).unsqueeze(1)
    return found, bag, sizes, torch.zeros_like(sizes)


@formula("aten._embedding_bag_backward")
def embedding_bag_backward(
    grad: Tensor, index: Tensor, offsets: Tensor, bag: Tensor, sizes: Tensor, most: Tensor,
    count: int, by_frequency: bool, mode: int, sparse: bool, weights: Tensor | None,
    padding: int = -1,
) -> Tensor:  # fmt: skip
    """Each row receives the sum of the gradients of its bags."""
    if sparse:
        raise not_exact("aten._embedding_bag_backward", "sparse gradients have no form here")
    if by_frequency:
        # torch divides by the frequency of another row than the documented one.
        raise not_exact("aten._embedding_bag_backward", "scaling by frequency has no form here")
    rows = grad.index_select(0, bag)
    if mode == MEAN:
        rows = rows / sizes[bag].clamp(min=1).unsqueeze(1)
    if weights is not None:
        rows = rows * weights.unsqueeze(1)
    kept = index != padding
    found = torch.zeros(count, grad.shape[1], dtype=rows.dtype)
    return found.index_add(0, index[kept], rows[kept])


@formula("aten._embedding_bag_per_sample_weights_backward")
def embedding_bag_weights_backward(
    grad: Tensor, table: Tensor, index: Tensor, offsets: Tensor, bag: Tensor, mode: int,
    padding: int = -1,
) -> Tensor:  # fmt: skip
    """The sum of each row times the gradient of its bag."""
    found = (grad.index_select(0, bag) * table.index_select(0, index)).sum(1)
    return torch.where(index != padding, found, 0.0)


@formula("aten.scatter_reduce.two")
def scatter_reduce(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, *, include_self: bool = True
) -> Tensor:
    """Values along an axis added to the places of an index, or their mean or extreme there."""
    if reduce == "prod":
        raise not_exact("aten.scatter_reduce", "products into places have no form here")
    if not index.numel():
        return x.clone()
    touched = torch.zeros(x.shape, dtype=torch.int64)
    touched = touched.scatter_add(dim, index, torch.ones_like(index))
    if reduce in ("amax", "amin"):
        return _extreme(x, dim, index, source, reduce, include_self)
    start = x if include_self else torch.where(touched > 0, 0.0, x)
    total = start.scatter_add(dim, index, source)
    if reduce == "sum":
        return total
    count = touched + 1 if include_self else touched.clamp(min=1)
    return total / count


def _extreme(
    x: Tensor, dim: int, index: Tensor, source: Tensor, reduce: str, include_self: bool
) -> Tensor:
    """The extreme for each place, of the values one after the other along the axis."""
    pick = torch.maximum if reduce == "amax" else torch.minimum
    found = (
        x if include_self else x.scatter(dim, index, -inf if reduce == "amax" else inf)
    ).clone()
    if not x.ndim:
        return pick(found, source.view(()))
    for place in range(index.shape[dim]):
        own = index.narrow(dim, place, 1)
        values = source.narrow(dim, place, 1)[tuple(slice(0, size) for size in own.shape)]
        lines = [slice(0, size) for size in own.shape]
        lines[dim] = slice(None)
        part = found[tuple(lines)]
        part.scatter_(dim, own, pick(part.gather(dim, own), values))
    return found


@formula("aten._trilinear")
def trilinear(
    x: Tensor, y: Tensor, z: Tensor, expand_x: Any, expand_y: Any, expand_z: Any, sums: Any,
    unroll: int = 1,
) -> Any:  # fmt: skip
    """Two products: x by y over the axes that z lacks, then by z over those that remain."""
    count = x.ndim + len(expand_x)
    axes = [
        [axis for axis in range(count) if axis not in absent]
        for absent in (expand_x, expand_y, expand_z)
    ]
    left = [a for a in range(count) if a in axes[0] or a in axes[1]]
    middle = [a for a in left if a in axes[2] or a not in sums]
    kept = [a for a in range(count) if a not in sums]
    first = torch.einsum(x, axes[0], y, axes[1], middle)
    # A product over one term may be one rounding or a chain: they differ in the sign of zeros.
    return torch.einsum(first, middle, z, axes[2], kept) + 0.0


@formula("aten.addr")
def addr(c: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """The product of a column and a row, times alpha; beta c is added."""
    return torch.addmm(c, x.unsqueeze(1), y.unsqueeze(0), beta=beta, alpha=alpha)


@formula("aten.addbmm")
def addbmm(c: Tensor, x: Tensor, y: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """One product whose terms run over (matrix, k), times alpha; beta c is added."""
    if x.ndim != 3 or y.ndim != 3 or x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise RuntimeError(f"the factors {list(x.shape)} and {list(y.shape)} do not fit")
    left = x.transpose(0, 1).flatten(1)
    return torch.addmm(c, left, y.flatten(0, 1), beta=beta, alpha=alpha)


@formula("aten.native_dropout_backward")
def dropout_backward(grad: Tensor, kept: Tensor, scale: float) -> Tensor:
    """Grad × (scale where kept, else 0)."""
    return grad * (kept.to(grad.dtype) * scale)
