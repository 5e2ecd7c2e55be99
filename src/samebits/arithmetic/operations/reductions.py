"""Sums and what is made of them, over any axes (docs/arithmetic.md, "Sums").

Results lose the axes that they go over, or keep them with size 1 (`keepdim`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import converted, elementwise, widened
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of
from samebits.arithmetic.shortcuts import SUM

VALUE, SQUARE, MAGNITUDE = 0, 1, 2


def sum_over(
    x: torch.Tensor, axes: Sequence[int], *, keepdim: bool = False, summand: int = VALUE
) -> torch.Tensor:
    """The sum over axes, elements in row-major order of those axes.

    Args:
        x: float32 or float64.
        axes: Axes to sum over, not negative, each once.
        keepdim: Whether they stay, of size 1.
        summand: VALUE, SQUARE or MAGNITUDE of each element.

    Returns:
        A new tensor of x's dtype.
    """
    kept = [d for d in range(x.ndim) if d not in axes]
    shape = [1 if d in axes else x.shape[d] for d in range(x.ndim)]
    result = torch.empty(shape, dtype=x.dtype, device="cpu")
    if result.numel():
        _sum_into(result, x, sorted(axes), kept, summand)
    return result if keepdim else result.reshape([x.shape[d] for d in kept])


def _sum_into(
    result: torch.Tensor, x: torch.Tensor, axes: list[int], kept: list[int], summand: int
) -> None:
    sizes = x.shape
    count = math.prod(sizes[d] for d in axes)
    if count == 0 or x.numel() == 0:
        result.zero_()
        return
    x = x.contiguous()
    axes = [d for d in axes if sizes[d] != 1]
    kept = [d for d in kept if sizes[d] != 1]
    together = (
        not axes or axes == list(range(axes[0], axes[0] + len(axes))) or _adjacent(axes, kept)
    )
    if together and axes and kept and kept[-1] > axes[-1]:
        # Some axes before, those of the sum, some after: down columns.
        before = math.prod(sizes[d] for d in kept if d < axes[0])
        after = math.prod(sizes[d] for d in kept if d > axes[-1])
        _exact.sum_columns(result, x.view(before, count, after), summand)
        return
    if together:
        outputs = math.prod(sizes[d] for d in kept)
        _exact.sum_rows(result, x, None, (outputs, count, 1, 0, 1, 0, count), summand)
        return
    last = _run(axes, x.ndim, sizes)
    middle = [d for d in kept if d < last[0] and d > axes[0]]
    outer_axes = [d for d in axes if d < last[0]]
    if len(kept) == len(middle) and _adjacent(outer_axes, kept) and _adjacent(middle, axes):
        # As in batch normalisation: sums over the first and the last axes, one for each between.
        length = math.prod(sizes[d] for d in last)
        channels = math.prod(sizes[d] for d in middle)
        pieces = math.prod(sizes[d] for d in outer_axes)
        geometry = (1, 0, channels, length, pieces, channels * length, length)
        _exact.sum_rows(result, x, None, geometry, summand)
        return
    rows = x.permute(*kept, *[d for d in range(x.ndim) if d not in kept]).contiguous()
    outputs = math.prod(sizes[d] for d in kept)
    _exact.sum_rows(result, rows, None, (outputs, count, 1, 0, 1, 0, count), summand)


def _adjacent(axes: list[int], others: list[int]) -> bool:
    """Whether nothing but axes of size one lies between these axes."""
    return not axes or not any(axes[0] < d < axes[-1] for d in others)


def _run(axes: list[int], ndim: int, sizes: Sequence[int]) -> list[int]:
    """The summed axes at the end, next to each other but for axes of size one."""
    run: list[int] = []
    for d in range(ndim - 1, -1, -1):
        if sizes[d] == 1:
            continue
        if d not in axes:
            break
        run.insert(0, d)
    return run or [ndim]


def axes_of(op: Any, x: torch.Tensor, dims: Any) -> list[int]:
    """The axes that an argument names: None and [] mean all of them.

    Raises:
        IndexError: One does not exist.
        RuntimeError: One is named twice.
    """
    if dims is None or (isinstance(dims, Sequence) and not dims):
        return list(range(x.ndim))
    named = [dims] if isinstance(dims, int) else list(dims)
    axes = []
    for dim in named:
        bound = max(x.ndim, 1)
        if not -bound <= dim < bound:
            raise IndexError(
                f"{name_of(op)}: axis {dim} is out of range for {x.ndim} axes; "
                f"use {-bound} to {bound - 1}"
            )
        axes.append(dim % bound)
    if len(set(axes)) < len(axes):
        raise RuntimeError(f"{name_of(op)}: an axis is named twice in {named}")
    return axes if x.ndim else []


def _sum(
    op: Any, x: torch.Tensor, dims: Any, keepdim: bool, dtype: torch.dtype | None
) -> torch.Tensor:
    require_plain(op, [x])
    target = dtype or x.dtype
    if not target.is_floating_point:
        raise not_exact(name_of(op), f"a sum of {x.dtype} as {target}".replace("torch.", ""))
    x = converted(x, target)
    return converted(sum_over(widened(x), axes_of(op, x, dims), keepdim=keepdim), target)


def _whole_sum(x: torch.Tensor, dtype: torch.dtype | None) -> bool:
    return (
        not x.is_floating_point()
        and not x.is_complex()
        and (dtype is None or not (dtype.is_floating_point or dtype.is_complex))
    )


@kernel("aten.sum", shortcut=(SUM, 0, -1, False))
def sum_all(op: Any, x: torch.Tensor, *, dtype: torch.dtype | None = None) -> Any:
    """The sum of all elements."""
    return op(x, dtype=dtype) if _whole_sum(x, dtype) else _sum(op, x, None, False, dtype)


@kernel("aten.sum.dim_IntList", shortcut=(SUM, 0, -1, False))
def sum_dims(
    op: Any, x: torch.Tensor, dim: Any, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The sum over axes."""
    if _whole_sum(x, dtype):
        return op(x, dim, keepdim, dtype=dtype)
    return _sum(op, x, dim, keepdim, dtype)


def _mean(op: Any, x: torch.Tensor, dims: Any, keepdim: bool, dtype: torch.dtype | None) -> Any:
    require_plain(op, [x])
    target = dtype or x.dtype
    if not target.is_floating_point:
        raise RuntimeError(
            f"{name_of(op)}: a mean needs a floating dtype, not {target}; call .float() first"
        )
    wide = widened(converted(x, target))
    axes = axes_of(op, x, dims)
    total = sum_over(wide, axes, keepdim=keepdim)
    count = math.prod(x.shape[d] for d in axes)
    return converted(elementwise("div_scalar", total, scalars=(count,)), target)


@kernel("aten.mean")
def mean_all(op: Any, x: torch.Tensor, *, dtype: torch.dtype | None = None) -> Any:
    """The sum of all elements divided by their number."""
    return _mean(op, x, None, False, dtype)


@kernel("aten.mean.dim")
def mean_dims(
    op: Any, x: torch.Tensor, dim: Any, keepdim: bool = False, *, dtype: Any = None
) -> Any:
    """The sum over axes divided by the number of elements in each."""
    return _mean(op, x, dim, keepdim, dtype)


def variance_over(
    x: torch.Tensor, axes: Sequence[int], correction: float, *, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Variance and mean over axes, in two passes.

    Args:
        x: float32 or float64.
        axes: As for `sum_over`.
        correction: What is taken from the count before the division.
        keepdim: Whether the axes stay, of size 1.
    """
    count = math.prod(x.shape[d] for d in axes)
    freedom = max(count - correction, 0)
    if x.numel() and set(axes) == set(range(x.ndim - len(axes), x.ndim)):
        return _variance_of_rows(x, len(axes), count, freedom, keepdim=keepdim)
    mean = elementwise("div_scalar", sum_over(x, axes, keepdim=True), scalars=(count,))
    centered = elementwise("sub", x, mean)
    squares = sum_over(centered, axes, keepdim=True, summand=SQUARE)
    variance = elementwise("div_scalar", squares, scalars=(freedom,))
    if keepdim:
        return variance, mean
    shape = [x.shape[d] for d in range(x.ndim) if d not in axes]
    return variance.reshape(shape), mean.reshape(shape)


def _variance_of_rows(
    x: torch.Tensor, axes: int, count: int, freedom: float, *, keepdim: bool
) -> tuple[torch.Tensor, torch.Tensor]:
    """`variance_over` the last axes, row by row: no deviation is written to memory."""
    kept = x.shape[: x.ndim - axes]
    shape = [*kept, *(1 for _ in range(axes))] if keepdim else list(kept)
    mean, variance = (torch.empty(shape, dtype=x.dtype) for _ in range(2))
    rows = x.numel() // count
    geometry = (rows, count, 1, 0, 1, 0, count, 0, 0, 1, count)
    _exact.norm(None, x.contiguous(), mean, None, variance, None, None, geometry, 0.0, freedom)
    return variance, mean


def _variance(op: Any, x: Any, dim: Any, correction: Any, keepdim: bool) -> Any:
    require_plain(op, [x])
    if not x.is_floating_point():
        raise RuntimeError(
            f"{name_of(op)} needs a floating dtype, not {x.dtype}; call .float() first"
        )
    found = variance_over(
        widened(x), axes_of(op, x, dim), 1 if correction is None else correction, keepdim=keepdim
    )
    return tuple(converted(value, x.dtype) for value in found)


@kernel("aten.var.correction")
def var(op: Any, x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """Variance: the mean first, then the sum of squared deviations."""
    return _variance(op, x, dim, correction, keepdim)[0]


@kernel("aten.var_mean.correction")
def var_mean(
    op: Any, x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> Any:
    """Variance and mean."""
    return _variance(op, x, dim, correction, keepdim)


@kernel("aten.std.correction")
def std(op: Any, x: Any, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> Any:
    """The root of the variance."""
    wide = widened(x)
    require_plain(op, [x])
    variance, _ = _variance(op, wide, dim, correction, keepdim)
    return converted(elementwise("sqrt", variance), x.dtype)


@kernel("aten.linalg_vector_norm")
def vector_norm(
    op: Any,
    x: torch.Tensor,
    order: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    """The root of the sum of squares; sums of magnitudes, and the largest and smallest of them.

    Another order p: the sum of magnitudes to the power p, to the power 1 / p.
    """
    require_plain(op, [x])
    target = dtype or x.dtype
    wide = widened(converted(x, target))
    axes = axes_of(op, x, dim)
    if order == 2:
        result = elementwise("sqrt", sum_over(wide, axes, keepdim=keepdim, summand=SQUARE))
    elif order == 1:
        result = sum_over(wide, axes, keepdim=keepdim, summand=MAGNITUDE)
    elif order in (math.inf, -math.inf):
        pick = torch.amax if order > 0 else torch.amin
        result = canonical(pick(elementwise("abs", wide), axes, keepdim=keepdim))
    elif order == 0:
        result = converted((wide != 0).sum(axes, keepdim=keepdim), wide.dtype)
    else:
        powers = elementwise("pow_scalar", elementwise("abs", wide), scalars=(float(order),))
        total = sum_over(powers, axes, keepdim=keepdim)
        result = elementwise("pow_scalar", total, scalars=(1.0 / order,))
    return converted(result, target)


def canonical(x: torch.Tensor) -> torch.Tensor:
    """The same values with one zero and one NaN: x + 0."""
    return elementwise("add_scalar", x, scalars=(0.0,))


@kernel("aten.amax", "aten.amin")
def extreme(op: Any, x: torch.Tensor, dim: Any = (), keepdim: bool = False) -> Any:
    """The largest or smallest element; a zero is +0."""
    found = op(x, dim, keepdim)
    return canonical(found) if x.is_floating_point() else found


@kernel("aten.max", "aten.min")
def extreme_all(op: Any, x: torch.Tensor) -> Any:
    """The largest or smallest of all; a zero is +0."""
    found = op(x)
    return canonical(found) if x.is_floating_point() else found


@kernel("aten.logsumexp")
def logsumexp(op: Any, x: torch.Tensor, dim: Any, keepdim: bool = False) -> Any:
    """Max + log(sum of exp(x − max))."""
    require_plain(op, [x])
    wide = widened(x)
    axes = axes_of(op, x, dim)
    most = wide.amax(axes, keepdim=True) if axes else wide
    # An infinite maximum would give inf − inf.
    finite = torch.where(most.abs() == math.inf, torch.zeros_like(most), most)
    terms = elementwise("exp", elementwise("sub", wide, finite))
    total = elementwise("log", sum_over(terms, axes, keepdim=True))
    result = elementwise("add", total, finite)
    if not keepdim:
        result = result.reshape([x.shape[d] for d in range(x.ndim) if d not in axes])
    return converted(result, x.dtype)
