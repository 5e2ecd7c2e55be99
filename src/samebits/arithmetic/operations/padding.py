"""Derivatives of padding and windows, sums where values came from (docs/arithmetic.md, "Places").

Where a value came from is found by sending the places' own numbers the same way. Inputs are
[N, C, *places] or [C, *places]; each derivative has the shape of its input.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.kernels import converted, plain
from samebits.arithmetic.operations.arguments import require_plain, torch_decides
from samebits.arithmetic.operations.pooling import add_to_places, planes
from samebits.arithmetic.registry import decomposition, name_of

aten = torch.ops.aten


def _numbered(sizes: Any) -> Tensor:
    """The places of one plane by number, as floats: torch pads those of every dtype."""
    return torch.arange(math.prod(sizes), dtype=torch.float64).view(1, *sizes)


@decomposition(
    *(
        f"aten.{kind}_pad{axes}d_backward"
        for kind in ("reflection", "replication")
        for axes in "123"
    )
)
def pad_backward(op: Any, grad: Tensor, x: Tensor, padding: Any) -> Tensor:
    """Each gradient goes to the place that was copied."""
    require_plain(op, [grad, x])
    torch_decides(op, (grad, x, padding), {})
    forward = getattr(aten, name_of(op).removeprefix("aten.").removesuffix("_backward"))
    sizes = x.shape[x.ndim - len(padding) // 2 :]
    places = forward(_numbered(sizes), padding).long()
    flat = planes(grad, len(sizes)).flatten(1)
    result = add_to_places(flat, places.view(1, -1), sizes)
    return converted(result.view(x.shape), grad.dtype)


@decomposition("aten.col2im")
def fold(
    op: Any, x: Tensor, output_size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any
) -> Tensor:
    """Every window's values go to the places of the window."""
    require_plain(op, [x])
    torch_decides(op, (x, output_size, kernel, dilation, padding, stride), {})
    # Numbered from 1: what lies in the padding is 0.
    numbers = _numbered(output_size).unsqueeze(0) + 1
    places = aten.im2col(numbers, kernel, dilation, padding, stride).long().view(-1) - 1
    rows = plain(x).view(-1, places.numel())
    result = add_to_places(rows, places.view(1, -1), output_size, skipped=-1)
    channels = x.shape[-2] // math.prod(kernel)
    return converted(result.view(*x.shape[:-2], channels, *output_size), x.dtype)


@decomposition("aten.unfold_backward")
def unfold_backward(op: Any, grad: Tensor, sizes: Any, dim: int, size: int, step: int) -> Tensor:
    """Each gradient goes to the place that the window shows."""
    require_plain(op, [grad])
    count = math.prod(sizes)
    places = torch.arange(count).view(list(sizes)).unfold(dim, size, step)
    rows = plain(grad)
    result = add_to_places(rows.view(1, -1), places.reshape(1, -1), [count])
    return converted(result.view(list(sizes)), grad.dtype)
