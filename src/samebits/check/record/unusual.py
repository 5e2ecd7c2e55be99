"""Tensors that have no plain strided CPU memory: sparse, quantized, nested, or on a device."""

from __future__ import annotations

import sys
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from samebits.core.fingerprint import portable
from samebits.core.fingerprint.tensor import fingerprint_tensor
from samebits.core.fingerprint.tree import fingerprint
from samebits.errors import UsageError

PLAIN, OWN_RULES, NO_MEMORY = 0, 1, 2
"""Kinds of tensor types, as in native/python/tensor_access.hpp."""


def tensor_kind(kind: type[torch.Tensor]) -> int:
    """Sort a tensor subclass by what the recorder may do with it.

    Returns:
        PLAIN when torch treats it as any tensor, OWN_RULES when its `__torch_dispatch__` turns an
        operation into others on plain tensors, NO_MEMORY when nothing is computed at all.
    """
    # Where tracing was never used its modules are not loaded, and loading them takes a second.
    for module, name in (("fake_tensor", "FakeTensor"), ("functional_tensor", "FunctionalTensor")):
        tracing = sys.modules.get(f"torch._subclasses.{module}")
        if tracing is not None and issubclass(kind, getattr(tracing, name)):
            return NO_MEMORY
    if kind.__torch_dispatch__ is torch.Tensor.__torch_dispatch__:
        return PLAIN
    return OWN_RULES


def unusual_fingerprint(tensor: Any) -> int | None:
    """The fingerprint by a tensor's parts, or None where it has no bits (meta, fake).

    Takes anything else that has a fingerprint too: arrays, complex numbers, bytes, sets.
    """
    try:
        if not isinstance(tensor, torch.Tensor):
            return int(fingerprint(tensor), 16)
        if tensor._is_zerotensor():
            # Forward-mode differentiation's zeros have no memory, but they have values.
            with _disable_current_modes():
                return fingerprint_tensor(torch.zeros(tensor.shape, dtype=tensor.dtype))
        return fingerprint_tensor(tensor)
    except (UsageError, NotImplementedError, RuntimeError):
        return None


def device_fingerprint(tensor: torch.Tensor) -> torch.Tensor:
    """Start a fingerprint on the tensor's own device; nothing waits for it."""
    return portable.fingerprint_on_device(tensor)
