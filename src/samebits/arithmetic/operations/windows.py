"""Windows of signals (docs/arithmetic.md, "Numbers"): one axis, float32 unless a dtype is given."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.registry import decomposition, name_of


def _counted(length: int, periodic: bool, options: dict[str, Any], to: float) -> Tensor:
    """0, 1, 2 …, each times `to` divided by one less than their number."""
    dtype = options.get("dtype") or torch.get_default_dtype()
    count = length + 1 if periodic else length
    return torch.arange(count, dtype=dtype) * (to / (count - 1))


def _window(op: Any, length: int, periodic: bool, options: dict[str, Any], to: float) -> Any:
    """The numbers of `_counted`, or a window of less than two places."""
    dtype = options.get("dtype") or torch.get_default_dtype()
    if length < 0 or not dtype.is_floating_point:
        raise RuntimeError(f"{name_of(op)} wants a length of 0 or more and a floating dtype")
    if length < 2:
        return torch.ones(length, dtype=dtype), False
    return _counted(length, periodic, options, to), True


def _ended(found: Tensor, length: int) -> Tensor:
    return found[:length].clone() if len(found) > length else found


@decomposition("aten.bartlett_window", "aten.bartlett_window.periodic", under_mode=True)
def bartlett(op: Any, length: int, periodic: bool = True, **options: Any) -> Any:
    """A triangle: u to 1, then 2 − u; u = i 2 / (n − 1)."""
    found, whole = _window(op, length, periodic, options, 2.0)
    if not whole:
        return found
    first = ((len(found) - 1) >> 1) + 1
    return _ended(torch.cat([found[:first], 2 - found[first:]]), length)


@decomposition("aten.blackman_window", "aten.blackman_window.periodic", under_mode=True)
def blackman(op: Any, length: int, periodic: bool = True, **options: Any) -> Any:
    """cos(4 u) 0.08 − cos(2 u) 0.5 + 0.42; u = i π / (n − 1)."""
    found, whole = _window(op, length, periodic, options, math.pi)
    if not whole:
        return found
    found = torch.cos(found * 4) * 0.08 - torch.cos(found * 2) * 0.5 + 0.42
    return _ended(found, length)


@decomposition(
    "aten.hamming_window",
    "aten.hamming_window.periodic",
    "aten.hamming_window.periodic_alpha",
    "aten.hamming_window.periodic_alpha_beta",
    under_mode=True,
)
def hamming(
    op: Any, length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46,
    **options: Any,
) -> Any:  # fmt: skip
    """cos(u) (−beta) + alpha; u = i 2 π / (n − 1)."""
    found, whole = _window(op, length, periodic, options, 2 * math.pi)
    return _ended(torch.cos(found) * -beta + alpha, length) if whole else found


@decomposition("aten.hann_window", "aten.hann_window.periodic", under_mode=True)
def hann(op: Any, length: int, periodic: bool = True, **options: Any) -> Any:
    """cos(u) (−½) + ½; u = i 2 π / (n − 1)."""
    return hamming(op, length, periodic, 0.5, 0.5, **options)
