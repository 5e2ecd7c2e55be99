"""Products over axes, norms and statistics (docs/arithmetic.md, "Sums").

Results lose the axes that they go over, or keep them with size 1 (`keepdim`); without axes the
result has none.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.forms import write
from samebits.arithmetic.kernels import FLOATING, converted, is_float
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.operations.reductions import vector_norm
from samebits.arithmetic.operations.running import along, require_axis
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import decomposition, kernel, name_of

Dtype = torch.dtype | None


@kernel("aten.prod")
def prod(op: Any, x: Tensor, *, dtype: Dtype = None) -> Any:
    """The product of all values."""
    return _prod(op, (x,), x.reshape(-1), 0, False, dtype).reshape(())


@kernel("aten.prod.dim_int")
def prod_over(op: Any, x: Tensor, dim: int, keepdim: bool = False, *, dtype: Dtype = None) -> Any:
    """The product over an axis."""
    return _prod(op, (x, dim, keepdim), x, dim, keepdim, dtype)


def _prod(op: Any, args: Any, x: Tensor, dim: int, keepdim: bool, dtype: Dtype) -> Tensor:
    target = dtype or x.dtype
    if not (target.is_floating_point or target.is_complex or is_float(x)):
        return op(*args, dtype=dtype)  # type: ignore[no-any-return]
    require_plain(op, [x])
    if target not in FLOATING:
        raise not_exact(name_of(op), f"there is no kernel for {target}".replace("torch.", ""))
    require_axis(name_of(op), x, dim)
    wide = converted(x, target)
    wide = wide if target in (torch.float32, torch.float64) else converted(wide, torch.float64)
    lines = along(wide, dim)
    found = torch.empty((lines.shape[0], lines.shape[2]), dtype=wide.dtype)
    if lines.numel():
        _exact.multiplied(found, lines)
    else:
        found.fill_(1.0)
    kept = [1 if d == dim % x.ndim else n for d, n in enumerate(x.shape)] if x.ndim else []
    if not keepdim and kept:
        del kept[dim % x.ndim]
    return converted(found.view(kept), target)


@formula("aten.norm.Scalar", "aten.norm.ScalarOpt_dtype")
def norm(x: Tensor, order: float | None = 2, *, dtype: Dtype = None) -> Any:
    """The norm of all elements."""
    return torch.linalg.vector_norm(x, 2 if order is None else order, dtype=dtype)


@formula("aten.norm.ScalarOpt_dim", "aten.norm.ScalarOpt_dim_dtype")
def norm_over(
    x: Tensor, order: float | None, dim: Any, keepdim: bool = False, *, dtype: Dtype = None
) -> Any:
    """The norm over axes."""
    order = 2 if order is None else order
    return torch.linalg.vector_norm(x, order, dim or None, keepdim, dtype=dtype)


@decomposition("aten.linalg_vector_norm.out")
def vector_norm_into(op: Any, x: Tensor, *args: Any, out: Tensor, **options: Any) -> Tensor:
    """`vector_norm`, written to `out`."""
    found = vector_norm(op, x, *args, **options)
    return write(op, out, found)


@formula("aten.dist")
def dist(x: Tensor, y: Tensor, order: float = 2) -> Any:
    """The norm of x − y."""
    return torch.linalg.vector_norm(x - y, order)


@formula("aten._weight_norm_interface")
def weight_norm(v: Tensor, g: Tensor, dim: int = 0) -> tuple[Tensor, Tensor]:
    """V (g / norm), and the norm over the other axes."""
    axes = [axis for axis in range(v.ndim) if axis != dim % v.ndim]
    size = torch.linalg.vector_norm(v, 2, axes, keepdim=True) if axes else torch.abs(v)
    return v * (g / size), size


@formula("aten._weight_norm_interface_backward")
def weight_norm_backward(
    grad: Tensor, v: Tensor, g: Tensor, size: Tensor, dim: int
) -> tuple[Tensor, Tensor]:
    """(g / norm) (grad − v (s / norm²)) and s / norm, with s the sums of grad v."""
    axes = [axis for axis in range(v.ndim) if axis != dim % v.ndim]
    sums = (grad * v).sum(axes, keepdim=True) if axes else grad * v
    return g / size * (grad - v * (sums / (size * size))), sums / size


@formula("aten.nansum")
def nansum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Dtype = None) -> Tensor:
    """The sum, with NaN counted as 0."""
    return torch.where(torch.isnan(x), 0.0, x).sum(dim, keepdim, dtype=dtype)


@formula("aten.trace")
def trace(x: Tensor) -> Tensor:
    """The sum of the diagonal."""
    if x.ndim != 2:
        raise RuntimeError(f"a trace is that of a matrix, not of {x.ndim} axes")
    return x.diagonal().sum()


@formula("aten.median")
def median(x: Tensor) -> Tensor:
    """The middle one of the sorted values, the lower of two; NaN where one is, or without them."""
    return _middle(x, of_numbers=False)


@formula("aten.nanmedian")
def nanmedian(x: Tensor) -> Tensor:
    """`median` of the values that are numbers."""
    return _middle(x, of_numbers=True)


def _middle(x: Tensor, *, of_numbers: bool) -> Tensor:
    ordered = torch.sort(x.reshape(-1), stable=True).values
    missing = int(torch.isnan(ordered).sum())  # they come last
    count = ordered.numel() - missing
    if not count or (missing and not of_numbers):
        return torch.full((), math.nan, dtype=x.dtype)
    return ordered[(count - 1) // 2].clone()


@formula("aten.std_mean.correction")
def std_mean(
    x: Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False
) -> tuple[Tensor, Tensor]:
    """The root of the variance, and the mean."""
    variance, mean = torch.var_mean(x, dim, correction=correction, keepdim=keepdim)
    return torch.sqrt(variance), mean


@formula("aten.aminmax")
def aminmax(x: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Any:
    """The smallest and the largest value; a zero is +0."""
    if not x.numel() and (dim is None or not x.shape[dim]):
        raise RuntimeError("there is no smallest of no values")
    axes = () if dim is None else dim
    kept = keepdim and dim is not None
    found = torch.amin(x, axes, kept), torch.amax(x, axes, kept)
    if keepdim and dim is None:
        found = tuple(value.view([1] * x.ndim) for value in found)  # type: ignore[assignment]
    return torch.return_types.aminmax(found)
