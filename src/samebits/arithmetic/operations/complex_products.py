"""Products and sums of complex numbers (docs/arithmetic.md, "Complex numbers").

The shapes are those of the same operations on real numbers. A product of complex matrices is four
products of real ones.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.kernels import converted, elementwise
from samebits.arithmetic.operations.arguments import torch_decides
from samebits.arithmetic.operations.complex_numbers import (
    Parts,
    joined,
    magnitude,
    parts_of,
    product,
)
from samebits.arithmetic.operations.products import multiply
from samebits.arithmetic.operations.reductions import axes_of, sum_over, vector_norm
from samebits.arithmetic.registry import complex_kernel


def _multiplied(x: Parts, y: Parts) -> Parts:
    """(A C − B D, A D + B C) of matrices, [M, K] and [K, N], or batches of them."""
    (a, b), (c, d) = x, y
    re = elementwise("sub", multiply(a, c), multiply(b, d))
    return re, elementwise("add", multiply(a, d), multiply(b, c))


@complex_kernel("aten.mm", "aten.bmm")
def mm(op: Any, x: Tensor, y: Tensor) -> Tensor:
    """The product of two matrices, or of two batches of them."""
    torch_decides(op, (x, y), {})
    return joined(*_multiplied(parts_of(x, x.dtype), parts_of(y, y.dtype)))


@complex_kernel("aten.mv")
def mv(op: Any, x: Tensor, y: Tensor) -> Tensor:
    """A matrix times a vector."""
    torch_decides(op, (x, y), {})
    columns = parts_of(y.unsqueeze(1), y.dtype)
    return joined(*_multiplied(parts_of(x, x.dtype), columns)).squeeze(1)


@complex_kernel("aten.dot")
def dot(op: Any, x: Tensor, y: Tensor) -> Tensor:
    """The sum of products of two vectors, as a product of matrices."""
    torch_decides(op, (x, y), {})
    row, column = parts_of(x.unsqueeze(0), x.dtype), parts_of(y.unsqueeze(1), y.dtype)
    return joined(*_multiplied(row, column)).reshape(())


@complex_kernel("aten.vdot")
def vdot(op: Any, x: Tensor, y: Tensor) -> Tensor:
    """The sum of products of the conjugate of x and of y."""
    torch_decides(op, (x, y), {})
    re, im = parts_of(x.unsqueeze(0), x.dtype)
    column = parts_of(y.unsqueeze(1), y.dtype)
    return joined(*_multiplied((re, elementwise("neg", im)), column)).reshape(())


@complex_kernel("aten.addmm", "aten.baddbmm", "aten.addmv")
def addmm(op: Any, added: Any, x: Any, y: Any, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """Beta added + alpha (x y): a factor of 1 multiplies nothing, and beta 0 reads nothing."""
    torch_decides(op, (added, x, y), {"beta": beta, "alpha": alpha})
    dtype = x.dtype
    vector = y.ndim == 1
    found = _multiplied(parts_of(x, dtype), parts_of(y.unsqueeze(1) if vector else y, dtype))
    if vector:
        found = (found[0].squeeze(1), found[1].squeeze(1))
    if alpha != 1:
        found = product(parts_of(alpha, dtype), found)
    if beta == 0:
        return joined(*found)
    more = parts_of(added, dtype)
    if beta != 1:
        more = product(parts_of(beta, dtype), more)
    re, im = (elementwise("add", one, other) for one, other in zip(more, found, strict=True))
    return joined(re, im)


def _summed(op: Any, x: Tensor, dims: Any, keepdim: bool, dtype: Any) -> Parts:
    axes = axes_of(op, x, dims)
    re, im = (sum_over(part, axes, keepdim=keepdim) for part in parts_of(x, dtype or x.dtype))
    return re, im


@complex_kernel("aten.sum")
def sum_all(op: Any, x: Tensor, *, dtype: Any = None) -> Tensor:
    """The sum of all elements, part by part."""
    return joined(*_summed(op, x, None, False, dtype))


@complex_kernel("aten.sum.dim_IntList")
def sum_dims(op: Any, x: Tensor, dim: Any, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes, part by part."""
    return joined(*_summed(op, x, dim, keepdim, dtype))


def _mean(op: Any, x: Tensor, dim: Any, keepdim: bool, dtype: Any) -> Tensor:
    count = math.prod(x.shape[d] for d in axes_of(op, x, dim))
    re, im = (
        elementwise("div_scalar", part, scalars=(count,))
        for part in _summed(op, x, dim, keepdim, dtype)
    )
    return joined(re, im)


@complex_kernel("aten.mean")
def mean_all(op: Any, x: Tensor, *, dtype: Any = None) -> Tensor:
    """The sum of all elements divided by their number."""
    return _mean(op, x, None, False, dtype)


@complex_kernel("aten.mean.dim")
def mean_dims(op: Any, x: Tensor, dim: Any, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    """The sum over axes divided by the number of elements in each."""
    return _mean(op, x, dim, keepdim, dtype)


@complex_kernel("aten.linalg_vector_norm")
def norm(
    op: Any,
    x: Tensor,
    order: float = 2,
    dim: Any = None,
    keepdim: bool = False,
    *,
    dtype: Any = None,
) -> Any:
    """The norm of the magnitudes."""
    sizes = magnitude(parts_of(x, x.dtype))
    real = (
        None if dtype is None else converted(sizes, torch.empty(0, dtype=dtype).abs().dtype).dtype
    )
    return vector_norm(op, sizes, order, dim, keepdim, dtype=real)
