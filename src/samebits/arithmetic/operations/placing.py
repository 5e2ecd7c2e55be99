"""Putting values where indices say, the last one for a place stays (docs/arithmetic.md, "Places").

Results have the shape of the tensor that is written to.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import converted
from samebits.arithmetic.operations.arguments import torch_decides
from samebits.arithmetic.registry import COMPLEX, HALVES, REAL, kernel

_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _bits(x: torch.Tensor) -> torch.Tensor:
    """The same memory as whole numbers."""
    return x.view(_BITS[x.element_size()])


def taken(x: torch.Tensor, dim: int, index: torch.Tensor) -> torch.Tensor:
    """`torch.gather` for what computes with the mode off; halves as bits, as in `gather`."""
    return _bits(x).gather(dim, index).view(x.dtype) if x.dtype in HALVES else x.gather(dim, index)


@kernel("aten.gather", dtypes=REAL | COMPLEX)
def gather(op: Any, x: Any, dim: int, index: Any, *, sparse_grad: bool = False) -> Any:
    """Values by their places along an axis; halves as bits, since some builds change their NaN."""
    if x.dtype not in HALVES:
        return op(x, dim, index, sparse_grad=sparse_grad)
    return op(_bits(x), dim, index, sparse_grad=sparse_grad).view(x.dtype)


@kernel("aten.gather.out")
def gather_out(
    op: Any, x: Any, dim: int, index: Any, *, sparse_grad: bool = False, out: Any
) -> Any:
    """`gather` into a given tensor, which torch refuses where it shares memory with others."""
    if x.dtype not in HALVES or out.dtype != x.dtype:
        return op(x, dim, index, sparse_grad=sparse_grad, out=out)
    if out.shape != index.shape:
        out.resize_(index.shape)
    op(_bits(x), dim, index, sparse_grad=sparse_grad, out=_bits(out))
    return out


@kernel("aten.scatter.src", "aten.scatter_.src", dtypes=REAL | COMPLEX)
def scatter(op: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    """Writes values to places along an axis, in row-major order; halves as bits."""
    if x.dtype not in HALVES or source.dtype != x.dtype:
        return op(x, dim, index, source)
    return _of_dtype(x, op(_bits(x), dim, index, _bits(source)))


@kernel("aten.scatter.value", "aten.scatter_.value")
def scatter_value(op: Any, x: Any, dim: int, index: Any, value: Any) -> Any:
    """Writes one value to places along an axis; halves as bits."""
    if x.dtype not in HALVES:
        return op(x, dim, index, value)
    number = converted(torch.tensor(value, dtype=torch.float64), x.dtype)
    return _of_dtype(x, op(_bits(x), dim, index, _bits(number).item()))


def _of_dtype(x: torch.Tensor, written: torch.Tensor) -> torch.Tensor:
    """What was written as bits; the tensor itself where it was written in place."""
    return x if written.data_ptr() == x.data_ptr() else written.view(x.dtype)


@kernel("aten.index_copy")
def index_copy(op: Any, x: Any, dim: int, index: Any, source: Any) -> Any:
    """Copies slices along an axis, in the order of the index."""
    axes = max(x.ndim, 1)
    fits = index.ndim <= 1 and index.dtype == torch.int64 and source.dtype == x.dtype
    if not fits or not -axes <= dim < axes:
        torch_decides(op, (x, dim, index, source), {})
    full, slices = x.reshape(1) if x.ndim == 0 else x, source
    if slices.ndim == 0:
        slices = slices.reshape((1,) * full.ndim)
    dim %= full.ndim
    expected = [*full.shape[:dim], index.numel(), *full.shape[dim + 1 :]]
    if list(slices.shape) != expected:
        torch_decides(op, (x, dim, index, source), {})
        raise RuntimeError(f"index_copy(): slices of {list(slices.shape)}, not {expected}")
    # In memory of its own always: the rows are written where they lie.
    rows = full.movedim(dim, 0).clone(memory_format=torch.contiguous_format)
    if slices.numel():
        flat = _bits(rows).view(rows.shape[0], -1)
        moved = _bits(slices.movedim(dim, 0).contiguous()).view(index.numel(), -1)
        _exact.put_rows(flat, index.reshape(-1).contiguous(), moved)
    return rows.movedim(0, dim).reshape(x.shape)
