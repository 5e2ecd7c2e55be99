"""QR and what is made of its reflections (docs/arithmetic.md, "Linear algebra").

Matrices are [..., m, n], float32 or float64; k is the smaller one of m and n. Reflections are kept
as LAPACK keeps them: vectors below the diagonal, [..., m, k], and factors, [..., k].
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.operations.arguments import demand
from samebits.arithmetic.operations.matrices import (
    READABLE,
    closed,
    identities,
    opened,
    require_matrices,
    require_room_for_squares,
    turned,
)
from samebits.arithmetic.registry import kernel

FIRST_TO_LAST, LAST_TO_FIRST, TO_IDENTITY = 0, 1, 2
"""How `_exact.reflect` applies reflections."""


def householder(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The reflections of a QR and R above them, [B, m, n], and their factors, [B, k].

    Args:
        a: Matrices in binary64, [B, m, n], which are overwritten.
    """
    taus = torch.zeros(a.shape[0], min(a.shape[1:]), dtype=torch.float64)
    _exact.qr(a, taus)
    return a, taus


def columns_of_q(a: torch.Tensor, taus: torch.Tensor, columns: int) -> torch.Tensor:
    """The first columns of Q, [B, m, columns], of reflections in binary64."""
    q = identities(a.shape[0], a.shape[1], columns)
    _exact.reflect(a, taus, q, TO_IDENTITY)
    return q


@kernel("aten.linalg_qr", dtypes=READABLE)
def qr(op: Any, x: torch.Tensor, mode: str = "reduced") -> Any:
    """Q and R; Q is empty in the mode "r"."""
    require_matrices(op, x)
    require_room_for_squares(op, x)
    demand(mode in ("reduced", "complete", "r"), op, f"the mode {mode!r} is unknown")
    batch, rows = x.shape[:-2], x.shape[-2]
    steps = min(x.shape[-2:])
    a, taus = householder(opened(x))
    kept = rows if mode == "complete" else steps
    r = closed(a[:, :kept].triu(), batch, x.dtype)
    if mode == "r":
        return torch.empty(0, dtype=x.dtype), r
    return closed(columns_of_q(a, taus, kept), batch, x.dtype), r


@kernel("aten.geqrf", dtypes=READABLE)
def geqrf(op: Any, x: torch.Tensor) -> Any:
    """Reflections and R in one matrix, and the factors."""
    require_matrices(op, x)
    a, taus = householder(opened(x))
    return closed(a, x.shape[:-2], x.dtype), closed(taus, x.shape[:-2], x.dtype)


def _factors(op: Any, x: torch.Tensor, taus: torch.Tensor) -> torch.Tensor:
    demand(taus.dtype == x.dtype, op, "the matrices must have one dtype")
    demand(taus.shape[:-1] == x.shape[:-2], op, "vectors and factors must have one batch")
    demand(taus.shape[-1] <= min(x.shape[-2:]), op, "there are more factors than vectors")
    return opened(taus.unsqueeze(-1))[..., 0].contiguous()


@kernel("aten.linalg_householder_product", dtypes=READABLE)
def householder_product(op: Any, x: torch.Tensor, taus: torch.Tensor) -> Any:
    """The first n columns of the product of reflections."""
    require_matrices(op, x)
    factors = _factors(op, x, taus)
    demand(x.shape[-1] <= x.shape[-2], op, "a matrix has no more columns than rows here")
    return closed(columns_of_q(opened(x), factors, x.shape[-1]), x.shape[:-2], x.dtype)


@kernel("aten.ormqr", dtypes=READABLE)
def ormqr(
    op: Any,
    x: torch.Tensor,
    taus: torch.Tensor,
    other: torch.Tensor,
    left: bool = True,
    transpose: bool = False,
) -> Any:
    """Q c, Qᵀ c, c Q or c Qᵀ."""
    require_matrices(op, x, other)
    factors = _factors(op, x, taus)
    demand(x.shape[:-2] == other.shape[:-2], op, "the matrices must have one batch")
    demand(other.shape[-2 if left else -1] == x.shape[-2], op, "the sizes do not fit")
    c = opened(other) if left else turned(opened(other))
    # c Q is (Qᵀ cᵀ)ᵀ.
    first = transpose if left else not transpose
    _exact.reflect(opened(x), factors, c, FIRST_TO_LAST if first else LAST_TO_FIRST)
    return closed(c if left else turned(c), other.shape[:-2], x.dtype)
