"""How the dtypes of torch and NumPy are written in a safetensors file."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from samebits.core.fingerprint.dtypes import CODES

# torch's name: safetensors' name. Only what safetensors 0.4 reads already.
_NAMES = {
    "bool": "BOOL",
    "uint8": "U8",
    "int8": "I8",
    "uint16": "U16",
    "int16": "I16",
    "uint32": "U32",
    "int32": "I32",
    "uint64": "U64",
    "int64": "I64",
    "float16": "F16",
    "bfloat16": "BF16",
    "float32": "F32",
    "float64": "F64",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
}
# A complex number is written as its two parts in a last dimension of 2.
_PARTS = {"complex32": "F16", "complex64": "F32", "complex128": "F64"}

ITEM_BYTES = {
    "BOOL": 1,
    "U8": 1,
    "I8": 1,
    "F8_E4M3": 1,
    "F8_E5M2": 1,
    "U16": 2,
    "I16": 2,
    "F16": 2,
    "BF16": 2,
    "U32": 4,
    "I32": 4,
    "F32": 4,
    "U64": 8,
    "I64": 8,
    "F64": 8,
}
"""safetensors dtype → bytes an element."""

FINGERPRINT_CODES = {stored: CODES[name] for name, stored in _NAMES.items() if stored in ITEM_BYTES}
"""safetensors dtype → the number that the fingerprint gives to it."""

_NUMPY_NAMES = {
    "|b1": "BOOL",
    "|u1": "U8",
    "|i1": "I8",
    "<u2": "U16",
    "<i2": "I16",
    "<u4": "U32",
    "<i4": "I32",
    "<u8": "U64",
    "<i8": "I64",
    "<f2": "F16",
    "<f4": "F32",
    "<f8": "F64",
}


def dtype_name(dtype: torch.dtype) -> str:
    """A torch dtype's name without the module: "float32"."""
    return str(dtype).removeprefix("torch.")


def dtype_named(name: object) -> torch.dtype | None:
    """The torch dtype of that name; None when this torch has none."""
    found: Any = getattr(torch, name, None) if isinstance(name, str) else None
    return found if isinstance(found, torch.dtype) else None


def stored_form(dtype: torch.dtype, shape: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """The safetensors dtype and shape that hold a torch tensor's bytes.

    What safetensors has no name for is written as bytes, an element's in a last dimension.
    """
    name = dtype_name(dtype)
    if name in _NAMES:
        return _NAMES[name], shape
    if name in _PARTS:
        return _PARTS[name], (*shape, 2)
    return "U8", (*shape, dtype.itemsize)


def stored_form_of_array(
    dtype: np.dtype[Any], shape: tuple[int, ...]
) -> tuple[str, tuple[int, ...]]:
    """The safetensors dtype and shape that hold a NumPy array's bytes."""
    name = _NUMPY_NAMES.get(dtype.str)
    return (name, shape) if name is not None else ("U8", (*shape, dtype.itemsize))
