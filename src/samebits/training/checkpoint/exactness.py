"""Whether two trees of state are equal to the bit, and where they are not."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch


def first_difference(wanted: Any, found: Any, path: str) -> str | None:
    """The first place where two trees differ in type, structure or bits.

    Args:
        wanted: What should be there.
        found: What is.
        path: What the tree is called.

    Returns:
        A sentence that names the key; None when they are equal.
    """
    if isinstance(wanted, torch.Tensor) and isinstance(found, torch.Tensor):
        return _tensors(wanted, found, path)
    if type(wanted) is not type(found):
        names = type(wanted).__name__, type(found).__name__
        return f"{path} was of type {names[0]}, and is of type {names[1]}"
    if isinstance(wanted, Mapping):
        return _mappings(wanted, found, path)
    if isinstance(wanted, (list, tuple, deque)):
        if len(wanted) != len(found):
            return f"{path} had {len(wanted)} items, and has {len(found)}"
        pairs = enumerate(zip(wanted, found, strict=True))
        parts = (first_difference(a, b, f"{path}.{i}") for i, (a, b) in pairs)
        return next((part for part in parts if part is not None), None)
    if _equal_leaves(wanted, found):
        return None
    return f"{path} was {_shown(wanted)}, and is {_shown(found)}"


def _mappings(wanted: Mapping[Any, Any], found: Mapping[Any, Any], path: str) -> str | None:
    for key in wanted:
        if key not in found:
            return f"{path}.{key} was there, and is missing"
    for key in found:
        if key not in wanted:
            return f"{path}.{key} was not there"
    parts = (first_difference(wanted[key], found[key], f"{path}.{key}") for key in wanted)
    return next((part for part in parts if part is not None), None)


def _tensors(wanted: torch.Tensor, found: torch.Tensor, path: str) -> str | None:
    if wanted is found:
        return None
    for what in ("dtype", "shape", "layout"):
        a, b = getattr(wanted, what), getattr(found, what)
        if a != b:
            return f"{path} had {what} {_shown(a)}, and has {_shown(b)}"
    # Bits on one device; a tensor that came from a file lies on the CPU.
    if same_bits(wanted, found):
        return None
    return f"{path} holds other values"


def same_bits(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors of one dtype, shape and layout have the same bits."""
    from samebits.core.fingerprint.tensor import fingerprint_tensor

    return fingerprint_tensor(a) == fingerprint_tensor(b)


def _equal_leaves(a: Any, b: Any) -> bool:
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, complex):
        return struct.pack("<2d", a.real, a.imag) == struct.pack("<2d", b.real, b.imag)
    if isinstance(a, (np.ndarray, np.generic)):
        return (a.dtype.str, a.shape, a.tobytes()) == (b.dtype.str, b.shape, b.tobytes())
    return bool(a == b)


def _shown(value: Any) -> str:
    text = repr(value) if not isinstance(value, torch.Size) else str(list(value))
    return text if len(text) <= 60 else text[:59] + "…"
