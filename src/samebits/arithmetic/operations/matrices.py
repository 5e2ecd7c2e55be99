"""Bringing matrices into the form in which their kernels want them, and back.

Kernels read batches of row-major matrices of binary64, [B, m, n], and write to them.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from samebits.arithmetic.kernels import converted
from samebits.arithmetic.operations.arguments import demand, require_plain
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import name_of

DTYPES = (torch.float32, torch.float64)
READABLE = frozenset({*DTYPES, torch.int32})
_LARGEST = 1e150
"""What the rows admit: matrices, and pivots."""


def require_room_for_squares(op: Any, x: torch.Tensor) -> None:
    """Refuse what the sums of squares in here would lose: nothing is scaled.

    Raises:
        NotExactError: The largest number is so large, or so small, that its square does not fit.
    """
    if x.dtype != torch.float64 or not x.numel():
        return
    sizes = x.abs()
    largest = float(torch.where(sizes.isfinite(), sizes, 0.0).max())
    if largest > _LARGEST or 0 < largest < 1 / _LARGEST:
        raise not_exact(
            name_of(op),
            f"the square of its largest number, {largest:.3g}, does not fit into float64",
            way_out="Scale the matrix, and what comes of it back.",
        )


def require_matrices(op: Any, *tensors: torch.Tensor) -> None:
    """Refuse what no kernel reads, in torch's words where it refuses it too.

    Raises:
        NotExactError: A tensor is complex, or not in this processor's memory.
        RuntimeError: A tensor is of another dtype than float32 and float64, of another one than the
            first, or has less than two axes.
    """
    require_plain(op, tensors)
    for tensor in tensors:
        demand(tensor.dtype in DTYPES, op, f"needs float32 or float64, not {tensor.dtype}")
        demand(tensor.dtype == tensors[0].dtype, op, "the matrices must have one dtype")
        demand(tensor.ndim >= 2, op, "a matrix has two axes or more, the last two its own")


def require_square(op: Any, *tensors: torch.Tensor) -> None:
    """Refuse matrices that are not square.

    Raises:
        RuntimeError: One is not.
    """
    for tensor in tensors:
        demand(tensor.shape[-1] == tensor.shape[-2], op, "the matrices must be square")


def opened(x: torch.Tensor, batch: tuple[int, ...] | None = None) -> torch.Tensor:
    """A copy of matrices in binary64, [B, m, n], row-major.

    Args:
        x: Matrices, [..., m, n], float32 or float64.
        batch: What the axes before the last two broadcast to; they stay as they are unless given.
    """
    shape = x.shape[-2:]
    if batch is not None:
        x = x.expand(*batch, *shape)
    count = math.prod(x.shape[:-2])
    wide = converted(x, torch.float64) if x.dtype != torch.float64 else x
    return wide.reshape(count, *shape).clone(memory_format=torch.contiguous_format)


def closed(a: torch.Tensor, batch: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    """Results, [B, ...], with the batch's own axes, each value rounded once."""
    return converted(a.reshape((*batch, *a.shape[1:])), dtype)


def turned(a: torch.Tensor) -> torch.Tensor:
    """The transposed matrices, row-major."""
    return a.transpose(-2, -1).contiguous()


def identities(count: int, rows: int, columns: int) -> torch.Tensor:
    """As many matrices with ones on their diagonals, [count, rows, columns], in binary64."""
    return torch.eye(rows, columns, dtype=torch.float64).repeat(count, 1, 1)


def batch_of(op: Any, *tensors: torch.Tensor) -> tuple[int, ...]:
    """The shape to which the axes before the last two broadcast.

    Raises:
        RuntimeError: They do not.
    """
    shapes = [tensor.shape[:-2] for tensor in tensors]
    return tuple(torch.broadcast_shapes(*shapes))  # type: ignore[no-untyped-call]
