"""Running sums and products, products over axes, and statistics (docs/arithmetic.md, "Sums").

Running ones have the shape of x. The others lose the axes that they go over, or keep them with
size 1 (`keepdim`); without axes the result has none.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.forms import write
from samebits.arithmetic.kernels import FLOATING, converted, elementwise, is_float
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.operations.reductions import vector_norm
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import decomposition, name_of

Dtype = torch.dtype | None


@decomposition("aten.cumsum", "aten.cumprod")
def running(op: Any, x: Tensor, dim: int, *, dtype: Dtype = None) -> Tensor:
    """One element after the other in binary64; each result rounded to the dtype."""
    target = dtype or x.dtype
    if not (target.is_floating_point or target.is_complex or is_float(x)):
        return op(x, dim, dtype=dtype)  # type: ignore[no-any-return]
    require_plain(op, [x])
    if target not in FLOATING:
        raise not_exact(name_of(op), f"there is no kernel for {target}".replace("torch.", ""))
    # torch's loop over binary64 takes one element after the other, in every build.
    found = op(converted(converted(x, target), torch.float64), dim)
    return converted(elementwise("mul_scalar", found, scalars=(1.0,)), target)


@formula("aten.prod", "aten.prod.dim_int")
def prod(x: Tensor, dim: int | None = None, keepdim: bool = False, *, dtype: Dtype = None) -> Any:
    """In binary64: the second half of the values times the first one, until one is left."""
    target = dtype or x.dtype
    if target not in FLOATING:
        raise not_exact("aten.prod", f"there is no kernel for {target}".replace("torch.", ""))
    values = x.to(target).double()
    values = values.reshape(-1) if dim is None else values.movedim(dim, -1) if x.ndim else values
    if not values.ndim:
        values = values.view(1)
    if values.shape[-1] == 0:
        values = torch.ones((*values.shape[:-1], 1), dtype=values.dtype)
    while values.shape[-1] > 1:
        half = (values.shape[-1] + 1) // 2
        first, second = values[..., :half], values[..., half:]
        paired = first[..., : second.shape[-1]] * second
        values = torch.cat([paired, first[..., second.shape[-1] :]], -1)
    found = values.squeeze(-1) if x.ndim else values.view(())
    if keepdim and dim is not None and x.ndim:
        found = found.unsqueeze(dim)
    return found.to(target)


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


@formula("aten.logcumsumexp")
def logcumsumexp(x: Tensor, dim: int) -> Tensor:
    """M + log(s): m the largest value so far, s the running sum of exp(x − m), in binary64."""
    axes = max(x.ndim, 1)
    if not -axes <= dim < axes:
        raise IndexError(f"there is no axis {dim} among {axes}")
    if not x.numel():
        return x.clone()
    lines = (x if x.ndim else x.view(1)).movedim(dim if x.ndim else 0, 0)
    most = torch.cummax(lines, 0).values
    shift = torch.where(torch.isinf(most), 0.0, most)
    terms = torch.exp(lines - shift).double()
    # Of nothing but −∞ nothing is left: its sum is 0, and the factor would be infinite.
    fades = torch.where(most[:-1] == -math.inf, 0.0, torch.exp(shift[:-1] - shift[1:])).double()
    sums = [terms[0]]
    for place in range(1, lines.shape[0]):
        sums.append(sums[-1] * fades[place - 1] + terms[place])
    found = torch.log(torch.stack(sums).to(x.dtype)) + shift
    return found.movedim(0, dim) if x.ndim else found.view(())


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
