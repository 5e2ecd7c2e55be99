"""LU, Cholesky, and what is solved with them (docs/arithmetic.md, "Linear algebra").

Matrices are [..., n, n] (for LU alone [..., m, n]), float32 or float64; right sides [..., n, k], or
[..., k, n] where the unknown stands on the left. Batches broadcast.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.forms import exact
from samebits.arithmetic.kernels import elementwise
from samebits.arithmetic.operations.arguments import demand
from samebits.arithmetic.operations.matrices import (
    READABLE,
    batch_of,
    closed,
    identities,
    opened,
    require_matrices,
    require_square,
    turned,
)
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of, safe

safe(["aten.lu_unpack"], dtypes=READABLE)  # triangles of one matrix, and a permutation of ones


def _lu(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """LU of [B, m, n] in place, pivots [B, k] and the place of the first pivot that is 0, [B]."""
    pivots = torch.empty(a.shape[0], min(a.shape[1:]), dtype=torch.int32)
    info = torch.empty(a.shape[0], dtype=torch.int32)
    _exact.lu(a, pivots, info)
    return a, pivots, info


def _order(pivots: torch.Tensor, rows: int) -> torch.Tensor:
    """Where each row comes from when the exchanges are made, [B, rows]."""
    orders = []
    for exchanges in pivots.tolist():
        order = list(range(rows))
        for place, other in enumerate(exchanges):
            order[place], order[other - 1] = order[other - 1], order[place]
        orders.append(order)
    return torch.tensor(orders, dtype=torch.int64).reshape(pivots.shape[0], rows)


def _spread(pivots: torch.Tensor, batch: tuple[int, ...]) -> torch.Tensor:
    """The exchanges for each matrix of a batch to which theirs, [..., n], broadcasts."""
    size = pivots.shape[-1]
    return pivots.expand(*batch, size).reshape(math.prod(batch), size)


def _rows(b: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    return b.gather(1, order.unsqueeze(-1).expand(b.shape)).contiguous()


def _solved(
    a: torch.Tensor,
    pivots: torch.Tensor,
    b: torch.Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
) -> torch.Tensor:
    """The solution of A x = b or x A = b, or of Aᵀ instead, with the LU of A; all in binary64.

    Args:
        a: L and U, [B, n, n].
        pivots: The exchanges, [B, n].
        b: Right sides, [B, n, k], or [B, k, n] where `left` is false.
        left: Whether A stands on the left.
        adjoint: Whether Aᵀ stands in its place.
    """
    if not left:  # x A = b is Aᵀ xᵀ = bᵀ
        return turned(_solved(a, pivots, turned(b), adjoint=not adjoint))
    order = _order(pivots, a.shape[-1])
    if not adjoint:
        x = _rows(b, order)
        _exact.substitute(a, x, False, True)
        _exact.substitute(a, x, True, False)
        return x
    x, factors = b.contiguous(), turned(a)
    _exact.substitute(factors, x, False, False)
    _exact.substitute(factors, x, True, True)
    return _rows(x, order.argsort(dim=1, stable=True))


def _report(op: Any, info: torch.Tensor, check: bool) -> None:
    """Raise what torch raises for the first matrix that has no solution."""
    if check:
        torch._linalg_check_errors(info, name_of(op), is_matrix=info.ndim == 0)


def _require_one_layout(op: Any, a: torch.Tensor) -> None:
    """Refuse what would get another derivative by its layout.

    torch's formulas solve with the factors of Aᵀ where A is row-major, else with those of A.

    Raises:
        NotExactError: The derivative may be asked for, and the matrices are not row-major.
    """
    if torch.is_grad_enabled() and a.requires_grad and a.shape[-1] > 1 and not a.is_contiguous():
        raise not_exact(
            name_of(op),
            "the formula of its derivative depends on the layout of the matrices",
            way_out="Call .contiguous() on the matrices first.",
        )


@kernel("aten.linalg_lu_factor_ex", dtypes=READABLE)
def lu_factor(op: Any, x: torch.Tensor, *, pivot: bool = True, check_errors: bool = False) -> Any:
    """L and U in one matrix, pivots and info."""
    require_matrices(op, x)
    demand(pivot, op, "rows are always exchanged; leave out pivot=False")
    batch = x.shape[:-2]
    a, pivots, info = _lu(opened(x))
    info = info.reshape(batch)
    _report(op, info, check_errors)
    return closed(a, batch, x.dtype), pivots.reshape(*batch, pivots.shape[-1]), info


@kernel("aten.linalg_lu", dtypes=READABLE)
def lu(op: Any, x: torch.Tensor, *, pivot: bool = True) -> Any:
    """P, L and U."""
    found, pivots, _ = lu_factor(op, x, pivot=pivot)
    return torch.lu_unpack(found, pivots)


@kernel("aten.linalg_lu_solve", dtypes=READABLE)
def lu_solve(
    op: Any,
    factors: torch.Tensor,
    pivots: torch.Tensor,
    b: torch.Tensor,
    *,
    left: bool = True,
    adjoint: bool = False,
) -> Any:
    """The solution of A x = b or x A = b, or of Aᵀ instead, with the LU of A."""
    require_matrices(op, factors, b)
    require_square(op, factors)
    size = factors.shape[-1]
    demand(b.shape[-2 if left else -1] == size, op, "the sizes do not fit")
    demand(pivots.shape == factors.shape[:-1], op, "there is one pivot a row")
    demand(pivots.dtype == torch.int32, op, "pivots are int32")
    inside = (pivots >= 1) & (pivots <= size)
    demand(bool(inside.all()), op, "pivots are between 1 and the number of rows")
    batch = batch_of(op, factors, b)
    a = opened(factors, batch)
    found = _solved(a, _spread(pivots, batch), opened(b, batch), left=left, adjoint=adjoint)
    return closed(found, batch, b.dtype)


@kernel("aten._linalg_solve_ex", dtypes=READABLE)
def solve(
    op: Any, x: torch.Tensor, b: torch.Tensor, *, left: bool = True, check_errors: bool = False
) -> Any:
    """The solution, LU, pivots and info. A right side may be one vector for each matrix."""
    require_matrices(op, x)
    require_square(op, x)
    vector = b.ndim == 1 or b.shape == x.shape[:-1]
    right = b.unsqueeze(-1) if vector else b
    require_matrices(op, x, right)
    demand(left or not vector, op, "a vector can only stand on the right")
    demand(right.shape[-2 if left else -1] == x.shape[-1], op, "the sizes do not fit")
    batch = batch_of(op, x, right)
    a, pivots, info = _lu(opened(x))
    info = info.reshape(x.shape[:-2])
    _report(op, info, check_errors)
    own = x.shape[:-2]
    wide = opened(a.reshape(*own, *a.shape[1:]), batch)
    each = _spread(pivots.reshape(*own, x.shape[-1]), batch)
    result = closed(_solved(wide, each, opened(right, batch), left=left), batch, x.dtype)
    return (
        result.squeeze(-1) if vector else result,
        closed(a, own, x.dtype),
        pivots.reshape(*own, x.shape[-1]),
        info,
    )


@kernel("aten.linalg_inv_ex", dtypes=READABLE)
def inverse(op: Any, x: torch.Tensor, *, check_errors: bool = False) -> Any:
    """The solution of A x = 1, and info."""
    require_matrices(op, x)
    require_square(op, x)
    batch, size = x.shape[:-2], x.shape[-1]
    a, pivots, info = _lu(opened(x))
    info = info.reshape(batch)
    _report(op, info, check_errors)
    found = _solved(a, pivots, identities(a.shape[0], size, size))
    return closed(found, batch, x.dtype), info


def _signs(pivots: torch.Tensor) -> torch.Tensor:
    """−1 for an odd number of exchanges, else 1, [B], in binary64."""
    places = torch.arange(1, pivots.shape[-1] + 1, dtype=torch.int32)
    odd = (pivots != places).sum(-1) % 2
    return (1 - 2 * odd).to(torch.float64)


@kernel("aten._linalg_det", dtypes=READABLE)
def det(op: Any, x: torch.Tensor) -> Any:
    """The product of the pivots of Aᵀ, with the sign of the exchanges; LU and pivots."""
    require_matrices(op, x)
    require_square(op, x)
    _require_one_layout(op, x)
    batch = x.shape[:-2]
    a, pivots, _ = _lu(turned(opened(x)))
    product = exact(torch.ops.aten.prod.dim_int)(a.diagonal(dim1=-2, dim2=-1), -1)
    result = elementwise("mul", product, _signs(pivots))
    return (
        closed(result, batch, x.dtype),
        closed(a, batch, x.dtype),
        pivots.reshape(*batch, x.shape[-1]),
    )


@kernel("aten._linalg_slogdet", dtypes=READABLE)
def slogdet(op: Any, x: torch.Tensor) -> Any:
    """The sign, and the sum of the logarithms of the pivots' magnitudes; LU and pivots."""
    require_matrices(op, x)
    require_square(op, x)
    _require_one_layout(op, x)
    batch = x.shape[:-2]
    a, pivots, _ = _lu(turned(opened(x)))
    diagonal = a.diagonal(dim1=-2, dim2=-1)
    signs = elementwise("sign", diagonal)
    sign = elementwise("mul", exact(torch.ops.aten.prod.dim_int)(signs, -1), _signs(pivots))
    magnitudes = closed(elementwise("abs", diagonal), (diagonal.shape[0],), x.dtype)
    logarithm = exact(torch.ops.aten.log.default)(magnitudes)
    total = exact(torch.ops.aten.sum.dim_IntList)(logarithm, [-1])
    return (
        closed(sign, batch, x.dtype),
        total.reshape(batch),
        closed(a, batch, x.dtype),
        pivots.reshape(*batch, x.shape[-1]),
    )
