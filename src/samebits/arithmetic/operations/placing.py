"""Putting values where indices say, the last one for a place stays (docs/arithmetic.md, "Places").

Results have the shape of the tensor that is written to.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits import _exact
from samebits.arithmetic.operations.arguments import torch_decides
from samebits.arithmetic.registry import kernel

_BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def _bits(x: torch.Tensor) -> torch.Tensor:
    """The same memory as whole numbers."""
    return x.view(_BITS[x.element_size()])


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
