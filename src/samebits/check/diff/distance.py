"""How far two runs' values lie apart: absolute difference and units in the last place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from samebits.check.diff.stored_numbers import numbers_of
from samebits.check.diff.tensor_views import Bits, TensorView, tensors_of, ulp_distance

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class Distance:
    """The largest differences over all elements of all outputs.

    Attributes:
        max_abs: Largest absolute difference; None where no two numbers can be subtracted (only NaN
            or infinities differ, or the shapes do), and for whole numbers and booleans.
        max_ulp: Largest number of representable values between two elements, for floating point
            dtypes; None for others.
    """

    max_abs: float | None
    max_ulp: int | None


_NONE = Distance(None, None)


def output_distance(a: bytes, b: bytes) -> Distance:
    """The distance of two captured outputs, piece by piece: they may have gigabytes.

    Args:
        a: Tensors of run A, in the safetensors format.
        b: The same of run B.

    Raises:
        TraceError: One is in no such format.
    """
    of_a, of_b = tensors_of(a), tensors_of(b)
    return _largest([_distance(of_a[name], of_b[name]) for name in of_a.keys() & of_b.keys()])


def tensor_distance(a: torch.Tensor, b: torch.Tensor) -> Distance:
    """The distance of two CPU tensors; nothing where their dtypes or shapes differ."""
    import torch
    from safetensors.torch import save

    if a.dtype != b.dtype:
        return _NONE
    if a.is_complex():
        a, b = torch.view_as_real(a), torch.view_as_real(b)
    if not a.is_floating_point():
        return _NONE
    return output_distance(save({"": a.contiguous()}), save({"": b.contiguous()}))


def _largest(found: list[Distance]) -> Distance:
    return Distance(
        max_abs=max((d.max_abs for d in found if d.max_abs is not None), default=None),
        max_ulp=max((d.max_ulp for d in found if d.max_ulp is not None), default=None),
    )


def _distance(a: TensorView, b: TensorView) -> Distance:
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        return _NONE
    pairs = zip(a.pieces(), b.pieces(), strict=True)
    return _largest([_of_piece(a.dtype, one, other) for (_, one), (_, other) in pairs])


def _of_piece(dtype: str, a: Bits, b: Bits) -> Distance:
    if dtype == "C64":  # real and imaginary parts count each
        dtype, a, b = "F32", a.view(np.uint32), b.view(np.uint32)
    one, other = numbers_of(dtype, a), numbers_of(dtype, b)
    if one is None or other is None:
        return _NONE  # of labels and indices: how far apart says nothing
    with np.errstate(over="ignore", invalid="ignore"):
        gap = np.abs(one.astype(np.float64) - other.astype(np.float64))
    gap = gap[np.isfinite(gap)]
    numbers = ~(np.isnan(one) | np.isnan(other))
    has_ulp = a.dtype.itemsize > 1 and numbers.any()
    return Distance(
        max_abs=float(gap.max()) if gap.size else None,
        max_ulp=int(ulp_distance(dtype, a[numbers], b[numbers]).max()) if has_ulp else None,
    )
