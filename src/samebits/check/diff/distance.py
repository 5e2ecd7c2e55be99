"""How far two runs' values lie apart: absolute difference and units in the last place.

Of what safetensors holds, by NumPy alone: importing torch would take as long as a short run.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import torch

_PLAIN = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "C64": np.float32}
_WIDTHS = {2: np.int16, 4: np.int32, 8: np.int64}
# Floating point of one byte: bits of the exponent, its bias, and the bytes that are no number.
_BYTES = {
    "F8_E4M3": (4, 7, (0x7F, 0xFF)),
    "F8_E4M3FNUZ": (4, 8, (0x80,)),
    "F8_E5M2": (5, 15, tuple(n for n in range(256) if n & 0x7F > 0x7C)),
    "F8_E5M2FNUZ": (5, 16, (0x80,)),
}

Numbers = npt.NDArray[Any]


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
    """The distance of two captured outputs.

    Args:
        a: Tensors of run A, in the safetensors format.
        b: The same of run B.
    """
    from safetensors import deserialize

    of_a, of_b = (dict(deserialize(content)) for content in (a, b))  # type: ignore[no-untyped-call]
    found = [_distance(of_a[name], of_b[name]) for name in sorted(of_a.keys() & of_b.keys())]
    return Distance(
        max_abs=max((d.max_abs for d in found if d.max_abs is not None), default=None),
        max_ulp=max((d.max_ulp for d in found if d.max_ulp is not None), default=None),
    )


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


def _distance(a: dict[str, Any], b: dict[str, Any]) -> Distance:
    if (a["dtype"], a["shape"]) != (b["dtype"], b["shape"]) or not a["data"]:
        return _NONE
    values = [numbers_of(tensor["dtype"], tensor["data"]) for tensor in (a, b)]
    one, other = values
    if one is None or other is None:
        return _NONE  # of labels and indices: how far apart says nothing
    with np.errstate(over="ignore", invalid="ignore"):
        gap = np.abs(one.astype(np.float64) - other.astype(np.float64))
    gap = gap[np.isfinite(gap)]
    return Distance(
        max_abs=float(gap.max()) if gap.size else None,
        max_ulp=_ulp(a, b, ~(np.isnan(one) | np.isnan(other))),
    )


def numbers_of(dtype: str, data: bytes) -> Numbers | None:
    """The numbers that bytes hold, shape (n,); None for what is no floating point dtype."""
    if dtype in _PLAIN:
        return np.frombuffer(data, _PLAIN[dtype])
    if dtype == "BF16":  # the upper half of a float32
        return (np.frombuffer(data, np.uint16).astype(np.uint32) << 16).view(np.float32)
    if dtype in _BYTES:
        return _table(dtype)[np.frombuffer(data, np.uint8)]
    return None


@functools.cache
def _table(dtype: str) -> Numbers:
    """What each byte stands for."""
    exponent_bits, bias, no_numbers = _BYTES[dtype]
    mantissa_bits = 7 - exponent_bits
    code = np.arange(256)
    exponent = code >> mantissa_bits & ((1 << exponent_bits) - 1)
    mantissa = (code & ((1 << mantissa_bits) - 1)) / (1 << mantissa_bits)
    size = np.where(
        exponent == 0, np.ldexp(mantissa, 1 - bias), np.ldexp(1 + mantissa, exponent - bias)
    )
    values = np.where(code & 0x80, -size, size)
    values[list(no_numbers)] = np.nan
    if dtype == "F8_E5M2":
        values[[0x7C, 0xFC]] = np.inf, -np.inf
    return values


def _ulp(a: dict[str, Any], b: dict[str, Any], numbers: Numbers) -> int | None:
    """Largest distance on the number line of the dtype's representable values, NaN left out."""
    size = len(a["data"]) // numbers.size
    if size not in _WIDTHS or not numbers.any():
        return None
    places = []
    for tensor in (a, b):
        bits = np.frombuffer(tensor["data"], _WIDTHS[size])
        wide = bits.astype(object if size == 8 else np.int64)
        # Negative numbers have their magnitude's bits counted downward from zero.
        lowest = -(1 << (8 * size - 1))
        places.append(np.where(wide < 0, lowest - wide, wide))
    return int(np.abs(places[0] - places[1])[numbers].max())
