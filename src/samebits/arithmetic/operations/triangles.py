"""Cholesky's factor, and substitution in triangles (docs/arithmetic.md, "Linear algebra").

Matrices are [..., n, n], float32 or float64, of which one triangle is read; right sides are
[..., n, k], or [..., k, n] where the unknown stands on the left. Batches broadcast.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic import _exact
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
from samebits.arithmetic.registry import kernel, name_of


@kernel("aten.linalg_cholesky_ex", dtypes=READABLE)
def cholesky_ex(
    op: Any, x: torch.Tensor, *, upper: bool = False, check_errors: bool = False
) -> Any:
    """The factor, and the place of the first pivot that is not positive, or 0."""
    require_matrices(op, x)
    require_square(op, x)
    batch = x.shape[:-2]
    a = turned(opened(x)) if upper else opened(x)
    info = torch.empty(a.shape[0], dtype=torch.int32)
    _exact.cholesky(a, info)
    info = info.reshape(batch)
    if check_errors:
        torch._linalg_check_errors(info, name_of(op), is_matrix=info.ndim == 0)
    return closed(turned(a) if upper else a, batch, x.dtype), info


@kernel("aten.cholesky", dtypes=READABLE)
def cholesky(op: Any, x: torch.Tensor, upper: bool = False) -> Any:
    """The factor; an error where there is none."""
    return cholesky_ex(op, x, upper=upper, check_errors=True)[0]


def _substitute(
    a: torch.Tensor, b: torch.Tensor, *, upper: bool, transposed: bool, unit: bool = False
) -> torch.Tensor:
    """Solve with a triangle, or with its transpose, in place of b."""
    if transposed:
        a, upper = turned(a), not upper
    _exact.substitute(a, b, upper, unit)
    return b


@kernel("aten.linalg_solve_triangular", dtypes=READABLE)
def solve_triangular(
    op: Any,
    x: torch.Tensor,
    b: torch.Tensor,
    *,
    upper: bool,
    left: bool = True,
    unitriangular: bool = False,
) -> Any:
    """The solution of A x = b, or of x A = b."""
    require_matrices(op, x, b)
    require_square(op, x)
    demand(b.shape[-2 if left else -1] == x.shape[-1], op, "the sizes do not fit")
    batch = batch_of(op, x, b)
    right = opened(b, batch) if left else turned(opened(b, batch))
    found = _substitute(
        opened(x, batch), right, upper=upper, transposed=not left, unit=unitriangular
    )
    return closed(found if left else turned(found), batch, b.dtype)


@kernel("aten.triangular_solve", dtypes=READABLE)
def triangular_solve(
    op: Any,
    b: torch.Tensor,
    x: torch.Tensor,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
) -> Any:
    """The solution of A x = b or Aᵀ x = b, and a copy of A."""
    require_matrices(op, x, b)
    require_square(op, x)
    demand(b.shape[-2] == x.shape[-1], op, "the sizes do not fit")
    batch = batch_of(op, x, b)
    found = _substitute(
        opened(x, batch), opened(b, batch), upper=upper, transposed=transpose, unit=unitriangular
    )
    return closed(found, batch, b.dtype), x.expand(*batch, *x.shape[-2:]).clone()


def _with_factor(a: torch.Tensor, b: torch.Tensor, upper: bool) -> torch.Tensor:
    """The solution of L Lᵀ x = b, or of Uᵀ U x = b, in place of b."""
    _substitute(a, b, upper=upper, transposed=upper)
    return _substitute(a, b, upper=upper, transposed=not upper)


@kernel("aten.cholesky_solve", dtypes=READABLE)
def cholesky_solve(op: Any, b: torch.Tensor, factor: torch.Tensor, upper: bool = False) -> Any:
    """The solution of A x = b with the factor of A."""
    require_matrices(op, b, factor)
    require_square(op, factor)
    demand(b.shape[-2] == factor.shape[-1], op, "the sizes do not fit")
    batch = batch_of(op, factor, b)
    return closed(_with_factor(opened(factor, batch), opened(b, batch), upper), batch, b.dtype)


@kernel("aten.cholesky_inverse", dtypes=READABLE)
def cholesky_inverse(op: Any, factor: torch.Tensor, upper: bool = False) -> Any:
    """The inverse of A with the factor of A."""
    require_matrices(op, factor)
    require_square(op, factor)
    a, size = opened(factor), factor.shape[-1]
    found = _with_factor(a, identities(a.shape[0], size, size), upper)
    return closed(found, factor.shape[:-2], factor.dtype)
