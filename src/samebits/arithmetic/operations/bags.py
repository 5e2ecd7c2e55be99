"""Sums of rows that indices pick, and products of three tensors (docs/arithmetic.md, "Places").

Bags are [bags, D] for a table of [rows, D].
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import _disable_current_modes

from samebits.arithmetic import _exact
from samebits.arithmetic.operations.embedding import add_rows
from samebits.arithmetic.operations.formulas import formula, single_floats
from samebits.arithmetic.refusal import not_exact

SUM, MEAN, MAX = 0, 1, 2


def _bags_at_once(
    table: Tensor, index: Tensor, offsets: Tensor, by_frequency: bool = False, mode: int = SUM,
    sparse: bool = False, weights: Tensor | None = None, last: bool = False, padding: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor] | None:  # fmt: skip
    """The same where a kernel takes the tensors as they are."""
    if mode == MAX or padding >= 0 or last or not single_floats(table, weights):
        return None
    if index.dtype != torch.int64 or offsets.dtype != torch.int64:
        return None
    return _sums(table, index, offsets.contiguous(), weights, mean=mode == MEAN)


@formula("aten._embedding_bag", "aten._embedding_bag_forward_only", first=_bags_at_once)
def embedding_bag(
    table: Tensor, index: Tensor, offsets: Tensor, by_frequency: bool = False, mode: int = SUM,
    sparse: bool = False, weights: Tensor | None = None, last: bool = False, padding: int = -1,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    """The sum of each bag's rows, divided by their number for a mean; or the largest."""
    begins = (offsets[:-1] if last else offsets).to(torch.int64).contiguous()
    if mode != MAX and padding < 0:
        sums = _sums(table, index, begins, weights, mean=mode == MEAN)
        if sums is not None:
            return sums
    with _disable_current_modes():  # whole numbers, which torch computes as well as we
        if index.numel() and not 0 <= int(index.min()) <= int(index.max()) < table.shape[0]:
            raise RuntimeError(f"an index of the bags lies outside of {table.shape[0]} rows")
        bag = torch.searchsorted(begins, torch.arange(index.numel()), right=True) - 1
        kept = index != padding
        named, own = (index, bag) if padding < 0 else (index[kept], bag[kept])
        sizes = torch.bincount(own, minlength=begins.numel())
        rows = table.index_select(0, named)
    if weights is not None:
        rows = rows * (weights if padding < 0 else weights[kept]).unsqueeze(1)
    if mode == MAX:
        largest, first = _largest(rows, own, named, begins.numel())
        return largest, bag, sizes, first
    found = add_rows(torch.zeros(begins.numel(), table.shape[1], dtype=rows.dtype), own, rows)
    if mode == MEAN:
        found = found / sizes.clamp(min=1).unsqueeze(1)
    return found, bag, sizes, torch.zeros_like(sizes)


def _sums(
    table: Tensor, index: Tensor, begins: Tensor, weights: Tensor | None, *, mean: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor] | None:
    """The sums or means of bags in one pass; None where there is no kernel for what is given."""
    rows = index.to(torch.int64).contiguous()
    own = None if weights is None else weights.contiguous()
    fits = own is None or (own.dtype == table.dtype and own.shape == rows.shape)
    if not fits or rows.ndim != 1 or begins.ndim != 1 or not begins.numel() or table.ndim != 2:
        return None
    found = torch.empty((begins.numel(), table.shape[1]), dtype=table.dtype)
    bag, sizes = torch.empty_like(rows), torch.empty_like(begins)
    if not _exact.bags(found, bag, sizes, table.contiguous(), rows, begins, own, mean):
        return None
    return found, bag, sizes, torch.zeros_like(sizes)


def _largest(rows: Tensor, bag: Tensor, index: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """For each bag and column the largest value (0 without rows), and the first row that has it."""
    spread = bag.unsqueeze(1).expand(rows.shape)
    found = torch.zeros(count, rows.shape[1], dtype=rows.dtype)
    found = found.scatter_reduce(0, spread, rows, "amax", include_self=False)
    most = found.index_select(0, bag)
    place = torch.arange(rows.shape[0]).unsqueeze(1).expand(rows.shape)
    place = torch.where((rows == most) | torch.isnan(rows), place, rows.shape[0])
    first = torch.full(found.shape, rows.shape[0])
    first = first.scatter_reduce(0, spread, place, "amin")
    return found, torch.cat([index, index.new_zeros(1)])[first]


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
    if mode == MAX:
        used = grad[sizes > 0]
        found = torch.zeros(count, grad.shape[1], dtype=grad.dtype)
        return found.scatter_add(0, most[sizes > 0].to(torch.int64), used)
    rows = grad.index_select(0, bag)
    if mode == MEAN:
        rows = rows / sizes[bag].clamp(min=1).unsqueeze(1)
    if weights is not None:
        rows = rows * weights.unsqueeze(1)
    found = torch.zeros(count, grad.shape[1], dtype=rows.dtype)
    return add_rows(found, index.to(torch.int64), rows, padding if padding >= 0 else None)


@formula("aten._embedding_bag_per_sample_weights_backward")
def embedding_bag_weights_backward(
    grad: Tensor, table: Tensor, index: Tensor, offsets: Tensor, bag: Tensor, mode: int,
    padding: int = -1,
) -> Tensor:  # fmt: skip
    """The sum of each row times the gradient of its bag."""
    found = (grad.index_select(0, bag) * table.index_select(0, index)).sum(1)
    return torch.where(index != padding, found, 0.0)


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
