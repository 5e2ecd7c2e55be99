"""Window functions (docs/arithmetic.md, "Numbers").

Each has n values, computed in binary64 and rounded once.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.special import bessel
from samebits.arithmetic.registry import decomposition

Formula = Callable[..., Tensor]


def _window(op: Any, n: int, periodic: bool, options: dict[str, Any], formula: Formula) -> Tensor:
    """formula(k, N) for k = 0 … n − 1, N = n for a periodic window, else n − 1."""
    if n < 0:
        raise RuntimeError(f"{op}: a window has no {n} values")
    dtype = options.get("dtype") or torch.get_default_dtype()
    if not dtype.is_floating_point:
        raise RuntimeError(f"{op}: a window is of floating point, not {dtype}")
    if n <= 1:
        return torch.ones(n, dtype=dtype)
    places = torch.arange(n, dtype=torch.float64)
    return formula(places, float(n if periodic else n - 1)).to(dtype)


def _cosine(k: Tensor, count: float, times: float = 1.0) -> Tensor:
    return torch.cos(k * (2 * math.pi * times) / count)


def _hamming(alpha: float, beta: float) -> Formula:
    return lambda k, count: alpha - beta * _cosine(k, count)


def _kaiser(beta: float) -> Formula:
    def values(k: Tensor, count: float) -> Tensor:
        ratio = k * 2 / count - 1
        root = torch.sqrt(torch.clamp(1 - ratio * ratio, min=0.0)) * beta
        whole = torch.full_like(k, beta)
        # I₀ itself: e^−|x| I₀ times e^(|x| − β), which never overflows.
        return bessel(root, 0) / bessel(whole, 0) * torch.exp(root - whole)

    return values


@decomposition("aten.hann_window", "aten.hann_window.periodic", under_mode=True)
def hann(op: Any, n: int, periodic: bool = True, **options: Any) -> Tensor:
    """½ − ½ cos(2πk / N)."""
    return _window(op, n, periodic, options, _hamming(0.5, 0.5))


@decomposition(
    "aten.hamming_window", "aten.hamming_window.periodic",
    "aten.hamming_window.periodic_alpha", "aten.hamming_window.periodic_alpha_beta",
    under_mode=True,
)  # fmt: skip
def hamming(
    op: Any, n: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **options: Any
) -> Tensor:
    """Alpha − beta cos(2πk / N)."""
    return _window(op, n, periodic, options, _hamming(alpha, beta))


@decomposition("aten.blackman_window", "aten.blackman_window.periodic", under_mode=True)
def blackman(op: Any, n: int, periodic: bool = True, **options: Any) -> Tensor:
    """0.42 − ½ cos(2πk / N) + 0.08 cos(4πk / N)."""

    def values(k: Tensor, count: float) -> Tensor:
        return 0.42 - 0.5 * _cosine(k, count) + 0.08 * _cosine(k, count, 2.0)

    return _window(op, n, periodic, options, values)


@decomposition("aten.bartlett_window", "aten.bartlett_window.periodic", under_mode=True)
def bartlett(op: Any, n: int, periodic: bool = True, **options: Any) -> Tensor:
    """1 − |2k / N − 1|."""
    return _window(op, n, periodic, options, lambda k, count: 1 - torch.abs(k * 2 / count - 1))


@decomposition(
    "aten.kaiser_window", "aten.kaiser_window.periodic", "aten.kaiser_window.beta", under_mode=True
)
def kaiser(op: Any, n: int, periodic: bool = True, beta: float = 12.0, **options: Any) -> Tensor:
    """I₀(β √(1 − (2k / N − 1)²)) ÷ I₀(β)."""
    return _window(op, n, periodic, options, _kaiser(beta))
