"""Interpolation whose kernel is as wide as its steps (docs/arithmetic.md, "Places").

Inputs and results are [N, C, H, W]; each axis by itself, the last one first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.operations.neighbours import returned, weighted


def _triangle(x: Tensor) -> Tensor:
    return torch.where(x < 1, 1 - x, 0.0)


def _cubic(x: Tensor) -> Tensor:
    near = (1.5 * x - 2.5) * x * x + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return torch.where(x < 1, near, torch.where(x < 2, far, 0.0))


_KERNELS: dict[str, tuple[Callable[[Tensor], Tensor], int]] = {
    "bilinear": (_triangle, 1),
    "bicubic": (_cubic, 2),
}
"""By mode, the kernel for a distance of 0 or more, and where it ends."""


@dataclass(frozen=True)
class _Taps:
    """What each place of the result reads along one axis.

    Attributes:
        places: [M, T], in ascending order.
        weights: [M, T], binary64.
        read: [M, T], which of them are read.
    """

    places: Tensor
    weights: Tensor
    read: Tensor


def _taps(mode: str, size: int, out: int, align: bool, scale: float | None) -> _Taps:
    kernel, reach = _KERNELS[mode]
    if min(size, out) < 1:
        raise RuntimeError(f"cannot interpolate from {size} to {out} places")
    if align:
        step = (size - 1) / (out - 1) if out > 1 else 0.0
    else:
        step = 1.0 / scale if scale is not None and scale > 0 else size / out
    width = reach * step if step >= 1 else float(reach)
    center = (torch.arange(out).double() + 0.5) * step
    first = torch.trunc(center - width + 0.5).long().clamp(min=0)
    end = torch.trunc(center + width + 0.5).long().clamp(max=size)
    count = max(1, int((end - first).max()))
    places = first.unsqueeze(1) + torch.arange(count)
    read = places < end.unsqueeze(1)
    away = places.double() - center.unsqueeze(1) + 0.5
    weights = torch.where(read, kernel(torch.abs(away * (1 / step if step >= 1 else 1.0))), 0.0)
    total = weights[:, 0]
    for column in weights.unbind(1)[1:]:
        total = total + column
    return _Taps(places.clamp(max=size - 1), weights / total.unsqueeze(1), read)


def _both(mode: str, sizes: Any, out: Any, align: bool, scales: Sequence[Any]) -> list[_Taps]:
    own = [*scales, None, None]
    return [_taps(mode, sizes[axis], out[axis], align, own[axis]) for axis in (0, 1)]


def _interpolated(x: Tensor, taps: list[_Taps]) -> Tensor:
    for axis in (-1, -2):
        x = weighted(x, axis, *_listed(taps[axis]))
    return x


def _returned(grad: Tensor, sizes: Sequence[int], taps: list[_Taps]) -> Tensor:
    """The derivative, each axis from the first: a place's sum of the weighted gradients."""
    for axis in (-2, -1):
        grad = returned(grad, axis, sizes[axis], *_listed(taps[axis]))
    return grad


def _listed(taps: _Taps) -> tuple[Tensor, Tensor, Tensor]:
    """Taps as a list: where each place's begin, what they read, and their weights."""
    counts = taps.read.sum(1).cumsum(0)
    begins = torch.cat([torch.zeros(1, dtype=torch.int64), counts])
    return begins, taps.places[taps.read], taps.weights[taps.read]


@formula("aten._upsample_bilinear2d_aa", whole=False)
def bilinear(x: Tensor, output_size: Any, align: bool, *scales: Any) -> Tensor:
    """By a triangle over the places that a place of the result covers."""
    return _interpolated(x, _both("bilinear", x.shape[2:], output_size, align, scales))


@formula("aten._upsample_bicubic2d_aa", whole=False)
def bicubic(x: Tensor, output_size: Any, align: bool, *scales: Any) -> Tensor:
    """By a cubic kernel twice as wide."""
    return _interpolated(x, _both("bicubic", x.shape[2:], output_size, align, scales))


@formula("aten._upsample_bilinear2d_aa_backward")
def bilinear_backward(
    grad: Tensor, output_size: Any, input_size: Any, align: bool, *scales: Any
) -> Tensor:
    """Derivative of `bilinear`."""
    sizes = input_size[2:]
    return _returned(grad, sizes, _both("bilinear", sizes, output_size, align, scales))


@formula("aten._upsample_bicubic2d_aa_backward")
def bicubic_backward(
    grad: Tensor, output_size: Any, input_size: Any, align: bool, *scales: Any
) -> Tensor:
    """Derivative of `bicubic`."""
    sizes = input_size[2:]
    return _returned(grad, sizes, _both("bicubic", sizes, output_size, align, scales))
