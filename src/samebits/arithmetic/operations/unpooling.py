"""Unpooling, and maxima over windows at random places (docs/arithmetic.md, "Places").

Inputs and results are [N, C, *places] or [C, *places]; random samples [N, C, axes], the last axis
of the places first in 2-D, in order in 3-D, as torch has them.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import converted
from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.operations.pooling import add_to_places, planes
from samebits.arithmetic.registry import kernel, name_of


@kernel("aten.max_unpool2d", "aten.max_unpool3d")
def max_unpool(op: Any, x: Tensor, index: Tensor, output_size: Any, *_: Any) -> Tensor:
    """Zeros, and each value at the place of its number; of several the last one stays."""
    require_plain(op, [x])
    if index.dtype != torch.int64 or index.shape != x.shape:
        raise RuntimeError(f"{name_of(op)}: each value needs the number of its place, as int64")
    axes, count = len(output_size), math.prod(output_size)
    flat = x.reshape(-1, math.prod(x.shape[x.ndim - axes :]))
    places = index.reshape(flat.shape)
    if places.numel() and not 0 <= int(places.min()) <= int(places.max()) < count:
        raise RuntimeError(f"{name_of(op)}: a place lies outside of {list(output_size)}")
    result = torch.zeros((flat.shape[0] * count, 1), dtype=x.dtype)
    begin = torch.arange(flat.shape[0]).unsqueeze(1) * count
    _exact.put_rows(result, (places + begin).reshape(-1), flat.contiguous().view(-1, 1))
    return result.view(*x.shape[: x.ndim - axes], *output_size)


def _begins(size: int, window: int, out: int, samples: Tensor) -> Tensor:
    """[N, C, out]: the first place of each window along an axis."""
    if not 0 < out <= size - window + 1:
        raise RuntimeError(f"{out} windows of {window} do not fit into {size} places")
    last = torch.full((*samples.shape, 1), size - window)
    if out == 1:
        return last
    step = (size - window) / (out - 1)
    places = torch.arange(out - 1).to(samples.dtype)
    shift = (samples * step).long().unsqueeze(-1)
    return torch.cat([((places + samples.unsqueeze(-1)) * step).long() - shift, last], -1)


@formula("aten.fractional_max_pool2d", "aten.fractional_max_pool3d")
def fractional_max_pool(
    x: Tensor, window: Any, output_size: Any, samples: Tensor
) -> tuple[Tensor, Tensor]:
    """The largest value of each window, the first of equal ones, and its number."""
    axes = len(output_size)
    batch = x if x.ndim == axes + 2 else x.unsqueeze(0)
    sizes, lead = batch.shape[2:], batch.shape[:2]
    if samples.ndim != 3 or samples.shape[0] < lead[0] or samples.shape[1:] != (lead[1], axes):
        raise RuntimeError(f"random samples of {[*lead, axes]} are wanted")
    number = torch.zeros([*lead, *[1] * (2 * axes)], dtype=torch.int64)
    for axis in range(axes):
        own = samples[: lead[0], :, axes - 1 - axis if axes == 2 else axis]
        begin = _begins(sizes[axis], window[axis], output_size[axis], own)
        places = begin.unsqueeze(-1) + torch.arange(window[axis])
        shape = [*lead, *[1] * (2 * axes)]
        shape[2 + axis], shape[2 + axes + axis] = output_size[axis], window[axis]
        number = number * sizes[axis] + places.view(shape)
    number = number.flatten(2 + axes)
    values = batch.flatten(2).gather(2, number.flatten(2)).view(number.shape)
    largest, which = values.max(-1)
    index = number.gather(-1, which.unsqueeze(-1)).squeeze(-1)
    shape = [*x.shape[: x.ndim - axes], *output_size]
    return largest.view(shape), index.view(shape)


@kernel("aten.fractional_max_pool2d_backward", "aten.fractional_max_pool3d_backward")
def fractional_max_pool_backward(
    op: Any, grad: Any, x: Any, window: Any, output_size: Any, index: Any
) -> Any:
    """Each gradient goes to the place that was the largest of its window."""
    require_plain(op, [grad, x])
    axes = len(output_size)
    flat = planes(grad, axes)
    places = index.reshape(flat.shape[0], math.prod(output_size))
    result = add_to_places(flat.reshape(places.shape), places, x.shape[x.ndim - axes :])
    return converted(result.view(x.shape), x.dtype)
