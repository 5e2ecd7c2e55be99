"""Interpolation: each axis by itself, the last one first (docs/arithmetic.md, "Places").

Inputs and results are [N, C, *places].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.operations.neighbours import returned, weighted

Taps = tuple[Tensor, Tensor]
"""For each place of the result the places that it reads, [M, T], and their weights in binary64."""

_A = -0.75
"""The slope that torch's cubic kernel has at distance 1."""


def _sources(size: int, out: int, align: bool, scale: float | None) -> Tensor:
    """Where each place of the result lies between the places of the input, in binary64."""
    places = torch.arange(out).double()
    if align:
        return places * ((size - 1) / (out - 1) if out > 1 else 0.0)
    step = 1.0 / scale if scale is not None and scale > 0 else size / out
    return (places + 0.5) * step - 0.5


def _linear(size: int, out: int, align: bool, scale: float | None) -> Taps:
    source = _sources(size, out, align, scale).clamp(min=0)
    first = torch.floor(source).clamp(max=size - 1)
    far = (source - first).clamp(0, 1)
    index = first.long()
    return (
        torch.stack([index, (index + 1).clamp(max=size - 1)], 1),
        torch.stack([1 - far, far], 1),
    )


def _cubic(size: int, out: int, align: bool, scale: float | None) -> Taps:
    source = _sources(size, out, align, scale)
    first = torch.floor(source)
    far = source - first
    weights = [_outer(far + 1), _inner(far), _inner(1 - far), _outer(2 - far)]
    index = first.long()[:, None] + torch.arange(-1, 3)
    return index.clamp(0, size - 1), torch.stack(weights, 1)


def _inner(x: Tensor) -> Tensor:
    return ((_A + 2) * x - (_A + 3)) * x * x + 1


def _outer(x: Tensor) -> Tensor:
    return ((_A * x - 5 * _A) * x + 8 * _A) * x - 4 * _A


def _taps(cubic: bool, sizes: Any, out: Any, align: bool, scales: Sequence[Any]) -> list[Taps]:
    if min(*sizes, *out) < 1:
        raise RuntimeError(f"cannot interpolate from {list(sizes)} to {list(out)} places")
    own = [*scales, *[None] * (len(out) - len(scales))]
    find = _cubic if cubic else _linear
    return [find(*each[:2], align, each[2]) for each in zip(sizes, out, own, strict=True)]


def _interpolated(x: Tensor, taps: list[Taps]) -> Tensor:
    for axis in reversed(range(-len(taps), 0)):
        x = weighted(x, axis, *_listed(*taps[axis]))
    return x


def _returned(grad: Tensor, sizes: Sequence[int], taps: list[Taps]) -> Tensor:
    """The derivative, each axis from the first: a place's sum of the weighted gradients."""
    for axis in range(-len(taps), 0):
        grad = returned(grad, axis, sizes[axis], *_listed(*taps[axis]))
    return grad


def _listed(places: Tensor, weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Taps as a list: where each place's begin, what they read, and their weights."""
    begins = torch.arange(places.shape[0] + 1) * places.shape[1]
    return begins, places.reshape(-1), weights.reshape(-1)


@formula(
    "aten.upsample_linear1d", "aten.upsample_bilinear2d", "aten.upsample_trilinear3d", whole=False
)
def linear(x: Tensor, output_size: Any, align: bool, *scales: Any) -> Tensor:
    """Between the two places next to each place of the result."""
    return _interpolated(x, _taps(False, x.shape[2:], output_size, align, scales))


@formula("aten.upsample_bicubic2d", whole=False)
def cubic(x: Tensor, output_size: Any, align: bool, *scales: Any) -> Tensor:
    """Of four places along each axis."""
    return _interpolated(x, _taps(True, x.shape[2:], output_size, align, scales))


@formula(
    "aten.upsample_linear1d_backward",
    "aten.upsample_bilinear2d_backward",
    "aten.upsample_trilinear3d_backward",
)
def linear_backward(
    grad: Tensor, output_size: Any, input_size: Any, align: bool, *scales: Any
) -> Tensor:
    """Derivative of `linear`."""
    sizes = input_size[2:]
    return _returned(grad, sizes, _taps(False, sizes, output_size, align, scales))


@formula("aten.upsample_bicubic2d_backward")
def cubic_backward(
    grad: Tensor, output_size: Any, input_size: Any, align: bool, *scales: Any
) -> Tensor:
    """Derivative of `cubic`."""
    sizes = input_size[2:]
    return _returned(grad, sizes, _taps(True, sizes, output_size, align, scales))
