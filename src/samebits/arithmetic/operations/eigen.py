"""Eigenvalues and singular values (docs/arithmetic.md, "Linear algebra").

Matrices are [..., n, n], symmetric, and [..., m, n] for singular values; float32 or float64.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.composites import composite
from samebits.arithmetic.forms import write
from samebits.arithmetic.operations.arguments import demand
from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.operations.matrices import (
    READABLE,
    closed,
    identities,
    opened,
    require_matrices,
    require_room_for_squares,
    require_square,
    turned,
)
from samebits.arithmetic.operations.reflections import (
    LAST_TO_FIRST,
    columns_of_q,
    householder,
)
from samebits.arithmetic.registry import COMPLEX, REAL, kernel, name_of


def _require_converged(op: Any, info: Tensor) -> None:
    if bool((info != 0).any()):
        raise torch.linalg.LinAlgError(  # type: ignore[attr-defined]
            f"{name_of(op)}: no values were found; the matrix holds infinities or NaN"
        )


@kernel("aten._linalg_eigh", dtypes=READABLE)
def eigh(op: Any, x: Tensor, UPLO: str = "L", compute_v: bool = True) -> Any:  # noqa: N803
    """Eigenvalues, ascending, and eigenvectors as columns; one triangle is read."""
    require_matrices(op, x)
    require_room_for_squares(op, x)
    require_square(op, x)
    demand(UPLO.upper() in ("L", "U"), op, 'UPLO is "L" or "U"')
    a = turned(opened(x)) if UPLO.upper() == "U" else opened(x)
    count, size = a.shape[:2]
    lower = torch.ones(size, size, dtype=torch.bool).tril()
    a = torch.where(lower, a, a.mT).contiguous()
    values, beside = (torch.zeros(count, size, dtype=torch.float64) for _ in range(2))
    taus = torch.zeros(count, max(size - 2, 0), dtype=torch.float64)
    _exact.tridiagonal(a, values, beside, taus)
    vectors = None
    if compute_v:
        q = identities(count, size, size)
        if size > 2:
            q[:, 1:, 1:] = columns_of_q(a[:, 1:, : size - 2].contiguous(), taus, size - 1)
        vectors = turned(q)
    info = torch.zeros(count, dtype=torch.int32)
    _exact.ql(values, beside, vectors, info)
    _require_converged(op, info)
    found = closed(values, x.shape[:-2], x.dtype)
    if vectors is None:
        return found, torch.empty(0, dtype=x.dtype)
    return found, closed(turned(vectors), x.shape[:-2], x.dtype)


def _completed(rows: Tensor, values: Tensor) -> Tensor:
    """Right vectors, [B, n, n]: those of values that are 0 make the others a basis."""
    for one, own in zip(rows, values, strict=True):
        there = int((own != 0).sum())
        if there < len(own):
            q = columns_of_q(*householder(turned(one[:there].unsqueeze(0))), len(own))
            one[there:] = q[0, :, there:].T
    return rows


@kernel("aten._linalg_svd", dtypes=READABLE)
def svd(
    op: Any,
    x: Tensor,
    full_matrices: bool = False,
    compute_uv: bool = True,
    *,
    driver: str | None = None,
) -> Any:
    """Left vectors as columns, singular values, descending, and right vectors as rows."""
    require_matrices(op, x)
    require_room_for_squares(op, x)
    demand(driver is None, op, "there is one driver alone")
    wide = x.shape[-2] < x.shape[-1]
    a, taus = householder(turned(opened(x)) if wide else opened(x))
    count, rows, size = a.shape
    right = a[:, :size].triu().contiguous()
    turns = identities(count, size, size) if compute_uv else None
    values = torch.zeros(count, size, dtype=torch.float64)
    info = torch.zeros(count, dtype=torch.int32)
    _exact.jacobi(right, turns, values, info)
    _require_converged(op, info)
    batch = x.shape[:-2]
    found = closed(values, batch, x.dtype)
    if turns is None:
        return torch.empty(0, dtype=x.dtype), found, torch.empty(0, dtype=x.dtype)
    right = _completed(right, values)
    left = identities(count, rows, rows if full_matrices else size)
    left[:, :size, :size] = turned(turns)
    _exact.reflect(a, taus, left, LAST_TO_FIRST)
    if wide:
        left, right = turned(right), turned(left)
    return closed(left, batch, x.dtype), found, closed(right, batch, x.dtype)


@formula("aten.linalg_pinv.atol_rtol_tensor")
def pinv(
    x: Tensor, *, atol: Tensor | None = None, rtol: Tensor | None = None, hermitian: bool = False
) -> Tensor:
    """V (1 ÷ s) Uᵀ for the values s beyond the larger one of atol and rtol × the first value."""
    if atol is None:
        atol = torch.zeros((), dtype=x.dtype)
        if rtol is None:
            most = max(x.shape[-2:], default=0)
            rtol = torch.tensor(torch.finfo(x.dtype).eps * most, dtype=x.dtype)
    elif rtol is None:
        eps = torch.tensor(torch.finfo(x.dtype).eps * max(x.shape[-2:]), dtype=x.dtype)
        rtol = torch.where(atol > 0, torch.zeros_like(eps), eps)
    if x.numel() == 0:
        return x.new_empty((*x.shape[:-2], x.shape[-1], x.shape[-2]))
    if hermitian:
        own, vectors = torch.linalg.eigh(x)
        sizes = own.abs()
        bound = torch.maximum(atol.unsqueeze(-1), rtol.unsqueeze(-1) * sizes.amax(-1, keepdim=True))
        inverse = torch.where(sizes > bound, own.reciprocal(), torch.zeros_like(own))
        return torch.matmul(vectors * inverse.unsqueeze(-2), vectors.mT)
    left, own, right = torch.linalg.svd(x, full_matrices=False)
    bound = torch.maximum(atol.unsqueeze(-1), rtol.unsqueeze(-1) * own[..., :1])
    inverse = torch.where(own > bound, own.reciprocal(), torch.zeros_like(own))
    return torch.matmul(right.mT * inverse.unsqueeze(-2), left.mT)


@composite(
    "aten.linalg_matrix_rank.out",
    "aten.linalg_matrix_rank.atol_rtol_float_out",
    "aten.linalg_matrix_rank.atol_rtol_tensor_out",
    "aten.linalg_matrix_rank.out_tol_tensor",
    dtypes=REAL | COMPLEX,
)
def matrix_rank_into(op: Any, x: Tensor, *args: Any, out: Tensor, **named: Any) -> Tensor:
    """As torch composes it without an `out`, which it leaves as it was under a mode (in 2.13)."""
    return write(op, out, torch.linalg.matrix_rank(x, *args, **named))
