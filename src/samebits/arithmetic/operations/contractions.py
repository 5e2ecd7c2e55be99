"""Contractions of tensors, each composed in one way (docs/arithmetic.md, "Products").

torch chooses by layout, by size or by what is installed how it composes them.

Shapes are torch's: `tensordot` contracts named axes of any two tensors, `inner` their last ones,
`multi_dot` takes [M, K₁], [K₁, K₂], …, and `einsum` what its equation says.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.composites import composite
from samebits.arithmetic.forms import COMPOSITION
from samebits.arithmetic.operations.arguments import torch_decides
from samebits.arithmetic.registry import COMPLEX, REAL


@composite("aten.tensordot")
def tensordot(op: Any, a: Tensor, b: Tensor, dims_a: Sequence[int], dims_b: Sequence[int]) -> Any:
    """One product over the contracted axes, row-major in the order in which they are named.

    An axis of size 1 that meets a longer one is spread along it: the longer one is summed first.
    """
    if len(dims_a) != len(dims_b) or a.dtype != b.dtype:
        torch_decides(op, (a, b, dims_a, dims_b), {})
    dims_a = [_axis(op, a, d) for d in dims_a]
    dims_b = [_axis(op, b, d) for d in dims_b]
    sizes = [(a.shape[i], b.shape[j]) for i, j in zip(dims_a, dims_b, strict=True)]
    repeated = len(set(dims_a)) < len(dims_a) or len(set(dims_b)) < len(dims_b)
    if repeated or any(m != n and 1 not in (m, n) for m, n in sizes):
        torch_decides(op, (a, b, dims_a, dims_b), {})
    for (m, n), i, j in zip(sizes, dims_a, dims_b, strict=True):
        if n == 1 and m != 1:
            a = a.sum(i, True, dtype=a.dtype)
        elif m == 1 and n != 1:
            b = b.sum(j, True, dtype=b.dtype)
    rows = [d for d in range(a.ndim) if d not in dims_a]
    columns = [d for d in range(b.ndim) if d not in dims_b]
    kept = [*(a.shape[d] for d in rows), *(b.shape[d] for d in columns)]
    depth = math.prod(a.shape[d] for d in dims_a)
    left = a.permute([*rows, *dims_a]).reshape(math.prod(a.shape[d] for d in rows), depth)
    right = b.permute([*dims_b, *columns]).reshape(depth, math.prod(b.shape[d] for d in columns))
    return left.mm(right).reshape(kept)


def _axis(op: Any, x: Tensor, dim: int) -> int:
    bound = max(x.ndim, 1)
    if not -bound <= dim < bound:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-bound}, {bound - 1}], "
            f"but got {dim})"
        )
    return dim % bound


@composite("aten.inner")
def inner(op: Any, a: Tensor, b: Tensor) -> Any:
    """The product over the last axes; with a number, each element times it."""
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if a.shape[-1] != b.shape[-1]:
        torch_decides(op, (a, b), {})
    return tensordot(op, a, b, [a.ndim - 1], [b.ndim - 1])


@composite("aten.linalg_multi_dot")
def multi_dot(op: Any, tensors: Sequence[Tensor]) -> Any:
    """The product of all, from left to right: not the order that is cheapest for their sizes."""
    axes = [t.ndim for t in tensors]
    if len(axes) < 2 or axes[0] not in (1, 2) or axes[-1] not in (1, 2) or set(axes[1:-1]) - {2}:
        torch_decides(op, (list(tensors),), {})
    first, last = tensors[0], tensors[-1]
    product = first.unsqueeze(0) if first.ndim == 1 else first
    for factor in tensors[1:]:
        product = product.mm(factor.unsqueeze(1) if factor.ndim == 1 else factor)
    if first.ndim == 1:
        product = product.squeeze(0)
    return product.squeeze(-1) if last.ndim == 1 else product


@composite("aten.chain_matmul")
def chain_matmul(op: Any, matrices: Sequence[Tensor]) -> Any:
    """As `multi_dot`; one matrix is itself."""
    if any(m.ndim != 2 for m in matrices) or not matrices:
        torch_decides(op, (list(matrices),), {})
    return matrices[0] if len(matrices) == 1 else multi_dot(op, matrices)


@composite("aten.einsum")
def einsum(op: Any, equation: str, tensors: Sequence[Tensor], *, path: Any = None) -> Any:
    """Contracted from left to right, whatever path was found (opt_einsum finds one by sizes)."""
    return op._op_dk(COMPOSITION, equation, tensors)


def _is_vector(x: Tensor, *_: Any, **__: Any) -> bool:
    return x.ndim == 1


@composite("aten.linear", dtypes=REAL | COMPLEX, where=_is_vector)
def linear(op: Any, x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """Of a vector and a bias: as of a matrix of one row, however they lie.

    The bias' gradient is then a sum of one value, which is never −0. Where something has gaps torch
    adds the bias by itself, and hands the gradient on as it is.
    """
    fits = weight.ndim == 2 and x.shape == weight.shape[1:]
    if bias is None or not fits or bias.shape != weight.shape[:1]:
        return op._op_dk(COMPOSITION, x, weight, bias)
    return torch.addmm(bias, x.unsqueeze(0), weight.t()).squeeze(0)
