"""How far two runs' values lie apart: absolute difference and units in the last place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
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


def output_distance(a: bytes, b: bytes) -> Distance:
    """The distance of two captured outputs.

    Args:
        a: Tensors of run A, in the safetensors format.
        b: The same of run B.
    """
    from safetensors.torch import load

    tensors_a, tensors_b = load(a), load(b)
    found = [
        tensor_distance(tensors_a[name], tensors_b[name])
        for name in sorted(tensors_a.keys() & tensors_b.keys())
    ]
    return Distance(
        max_abs=max((d.max_abs for d in found if d.max_abs is not None), default=None),
        max_ulp=max((d.max_ulp for d in found if d.max_ulp is not None), default=None),
    )


def tensor_distance(a: torch.Tensor, b: torch.Tensor) -> Distance:
    """The distance of two CPU tensors; nothing where their dtypes or shapes differ."""
    if a.shape != b.shape or a.dtype != b.dtype or a.numel() == 0:
        return Distance(None, None)
    if a.is_complex():
        return tensor_distance(torch.view_as_real(a), torch.view_as_real(b))
    if not a.is_floating_point():
        return Distance(None, None)  # of labels and indices: how far apart says nothing
    wide_a, wide_b = a.to(torch.float64), b.to(torch.float64)
    gap = (wide_a - wide_b).abs()
    gap = gap[torch.isfinite(gap)]
    return Distance(
        max_abs=float(gap.max()) if gap.numel() else None,
        max_ulp=_ulp(a, b) if a.element_size() > 1 else None,
    )


def _ulp(a: torch.Tensor, b: torch.Tensor) -> int | None:
    """Largest distance on the number line of the dtype's representable values, NaN left out."""
    width = {2: torch.int16, 4: torch.int32, 8: torch.int64}[a.element_size()]
    places = []
    for tensor in (a, b):
        bits = (
            tensor.contiguous()
            .view(width)
            .numpy()
            .astype(object if width is torch.int64 else np.int64)
        )
        # Negative numbers have their magnitude's bits counted downward from zero.
        lowest = -(1 << (8 * a.element_size() - 1))
        places.append(np.where(bits < 0, lowest - bits, bits))
    numbers = ~(torch.isnan(a) | torch.isnan(b)).numpy()
    if not numbers.any():
        return None
    return int(np.abs(places[0] - places[1])[numbers].max())
