"""Tensors that have no plain strided CPU memory: sparse, quantized, nested, or on a device."""

from __future__ import annotations

import torch

from samebits.errors import UsageError
from samebits.fingerprint import portable
from samebits.fingerprint.tensor import fingerprint_tensor


def unusual_fingerprint(tensor: torch.Tensor) -> int | None:
    """The fingerprint by a tensor's parts, or None where it has no bits (meta, fake)."""
    try:
        return fingerprint_tensor(tensor)
    except (UsageError, NotImplementedError, RuntimeError):
        return None


def device_fingerprint(tensor: torch.Tensor) -> torch.Tensor:
    """Start a fingerprint on the tensor's own device; nothing waits for it."""
    return portable.fingerprint_on_device(tensor)
