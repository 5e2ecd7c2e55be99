"""Matrix products: chains of fma over blocks of k (docs/arithmetic.md, "Products").

Factors are [M, K] and [K, N], or batches of as many of them; what is added broadcasts to the
result. Vectors have one axis.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import FLOATING, computed_in, converted, elementwise, widened
from samebits.arithmetic.operations.arguments import require_plain, torch_decides
from samebits.arithmetic.registry import kernel, name_of
from samebits.arithmetic.shortcuts import PRODUCT, PRODUCT_ADDED


def multiply(
    a: torch.Tensor,
    b: torch.Tensor,
    add: torch.Tensor | None = None,
    *,
    alpha: float = 1,
    beta: float = 1,
) -> torch.Tensor:
    """Beta add + alpha (a b), for matrices or batches of them.

    Args:
        a: Left factor, [M, K] or [B, M, K], floating.
        b: Right factor, [K, N] or [B, K, N], of a's dtype.
        add: What is added, which broadcasts to the result, of a's dtype.
        alpha: Factor of the product, which is rounded once before.
        beta: Factor of `add`; with 0 nothing of it is read.
    """
    dtype = a.dtype
    wide = computed_in(dtype)
    if add is not None and beta != 0 and wide != dtype:
        # As a product and a sum of halves: torch makes a layer of either, by how its input lies.
        product = widened(multiply(a, b))
        factors = (torch.tensor(float(factor), dtype=wide) for factor in (beta, alpha))
        parts = [
            part if factor == 1 else elementwise("mul", part, factor)
            for part, factor in zip((widened(add), product), factors, strict=True)
        ]
        return converted(elementwise("add", *parts), dtype)
    result = torch.empty((*a.shape[:-1], b.shape[-1]), dtype=wide, device="cpu")
    if beta == 0:
        add = None
    _exact.products(
        result, widened(a), widened(b), None if add is None else widened(add), alpha, beta
    )
    return converted(result, dtype)


def _checked(
    op: Any, tensors: tuple[torch.Tensor, ...], args: tuple[Any, ...], kwargs: Any
) -> bool:
    """Whether these are whole numbers, which torch computes exactly; torch's error for bad ones."""
    first = tensors[0].dtype
    shapes_fit = tensors[-2].shape[-1:] == tensors[-1].shape[-2:-1]
    if first not in FLOATING or any(t.dtype != first for t in tensors) or not shapes_fit:
        if not any(t.is_floating_point() or t.is_complex() for t in tensors):
            return True
        require_plain(op, tensors)
        torch_decides(op, args, kwargs)
        raise RuntimeError(
            f"{name_of(op)}: the factors must have one dtype, not "
            + " and ".join(sorted({str(t.dtype) for t in tensors}))
        )
    require_plain(op, tensors)
    return False


@kernel("aten.mm", "aten.bmm", shortcut=(PRODUCT, 0, -1, False))
def mm(op: Any, a: torch.Tensor, b: torch.Tensor) -> Any:
    """The product of two matrices, or of two batches of them."""
    if _checked(op, (a, b), (a, b), {}):
        return op(a, b)
    _require_shapes(op, a, b)
    return multiply(a, b)


def _require_shapes(
    op: Any, a: torch.Tensor, b: torch.Tensor, add: torch.Tensor | None = None
) -> None:
    axes = a.ndim == b.ndim and a.ndim in (2, 3)
    if axes and a.shape[-1] == b.shape[-2] and a.shape[:-2] == b.shape[:-2]:
        return
    torch_decides(op, (a, b) if add is None else (add, a, b), {})


@kernel("aten.addmm", "aten.baddbmm", shortcut=(PRODUCT_ADDED, 0, -1, False))
def addmm(op: Any, add: Any, a: Any, b: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Beta add + alpha (a b)."""
    if _checked(op, (add, a, b), (add, a, b), {"beta": beta, "alpha": alpha}):
        return op(add, a, b, beta=beta, alpha=alpha)
    _require_shapes(op, a, b, add)
    _require_add(op, add, a, b)
    return multiply(a, b, add, alpha=alpha, beta=beta)


def _require_add(op: Any, add: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> None:
    shape = (*a.shape[:-1], b.shape[-1])
    fits = add.ndim <= len(shape) and all(
        own in (1, full) for own, full in zip(reversed(add.shape), reversed(shape), strict=False)
    )
    if not fits:
        torch_decides(op, (add, a, b), {})


@kernel("aten.mv")
def mv(op: Any, a: torch.Tensor, x: torch.Tensor) -> Any:
    """A matrix times a vector, as a product with one column."""
    if _whole(a, x):
        return op(a, x)
    require_plain(op, (a, x))
    if a.ndim != 2 or x.ndim != 1 or a.shape[1] != x.shape[0] or a.dtype != x.dtype:
        torch_decides(op, (a, x), {})
    return multiply(x.unsqueeze(0), a.t()).squeeze(0)


@kernel("aten.addmv")
def addmv(op: Any, add: Any, a: Any, x: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """Beta add + alpha (a x)."""
    if _whole(add, a, x):
        return op(add, a, x, beta=beta, alpha=alpha)
    require_plain(op, (add, a, x))
    if (
        a.ndim != 2
        or x.ndim != 1
        or a.shape[1] != x.shape[0]
        or not a.dtype == x.dtype == add.dtype
    ):
        torch_decides(op, (add, a, x), {"beta": beta, "alpha": alpha})
    return multiply(x.unsqueeze(0), a.t(), add, alpha=alpha, beta=beta).squeeze(0)


@kernel("aten.dot", "aten.vdot")
def dot(op: Any, x: torch.Tensor, y: torch.Tensor) -> Any:
    """The product of two vectors, as a matrix product with one row and one column."""
    if _whole(x, y):
        return op(x, y)
    require_plain(op, (x, y))
    if x.ndim != 1 or x.shape != y.shape or x.dtype != y.dtype:
        torch_decides(op, (x, y), {})
    return multiply(x.unsqueeze(0), y.unsqueeze(1)).reshape(())


def _whole(*tensors: torch.Tensor) -> bool:
    return not any(t.is_floating_point() or t.is_complex() for t in tensors)
