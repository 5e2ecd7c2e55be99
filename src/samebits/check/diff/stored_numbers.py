"""What the bytes of a floating point tensor stand for, in every dtype that safetensors has.

By NumPy alone: importing torch would take as long as a short run.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt

_PLAIN = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "C64": np.float32}
# Floating point of one byte: bits of the exponent, its bias, and the bytes that are no number.
_BYTES = {
    "F8_E4M3": (4, 7, (0x7F, 0xFF)),
    "F8_E4M3FNUZ": (4, 8, (0x80,)),
    "F8_E5M2": (5, 15, tuple(n for n in range(256) if n & 0x7F > 0x7C)),
    "F8_E5M2FNUZ": (5, 16, (0x80,)),
}

Numbers = npt.NDArray[Any]


def numbers_of(dtype: str, data: bytes | Numbers) -> Numbers | None:
    """The numbers that bytes hold, shape (n,); None for what is no floating point dtype.

    Args:
        dtype: As safetensors calls it: "F32".
        data: Bytes, or an array on them without gaps; nothing is copied where it need not be.
    """
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
