"""Convolutions of one to three axes and their derivatives (docs/arithmetic.md, "Convolutions").

Inputs are [N, C, *places], weights [O, C / groups, *taps] ([C, O / groups, *taps] where
transposed), biases [O], results [N, O, *places].
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import converted, elementwise, plain
from samebits.arithmetic.operations.arguments import demand, require_plain
from samebits.arithmetic.operations.products import multiply
from samebits.arithmetic.operations.reductions import sum_over
from samebits.arithmetic.registry import kernel

FORWARD, INPUT, WEIGHT = 0, 1, 2


@dataclass(frozen=True)
class Shape:
    """A convolution as the kernels see it: three axes, the first of which may be 1.

    Attributes:
        images: Images in the batch.
        groups: Groups of channels.
        channels: Channels in and out of one group.
        inner: Sizes of the input.
        outer: Sizes of the result.
        kernel: Sizes of the kernel.
        stride: Steps from result to result.
        padding: Zeros before and after the input.
        dilation: Steps from tap to tap.
    """

    images: int
    groups: int
    channels: tuple[int, int]
    inner: tuple[int, ...]
    outer: tuple[int, ...]
    kernel: tuple[int, ...]
    stride: tuple[int, ...]
    padding: tuple[int, ...]
    dilation: tuple[int, ...]

    @property
    def empty(self) -> bool:
        """Whether there is nothing to compute."""
        return 0 in (self.images, self.groups, *self.channels, *self.inner, *self.outer)

    @property
    def pointwise(self) -> bool:
        """Whether each result reads one place, its own: a product of matrices."""
        ones = {*self.kernel, *self.stride}
        return ones == {1} and not any(self.padding) and self.groups == 1

    def sizes(self) -> list[int]:
        """The numbers in the order that the kernels take them."""
        three = [
            _three(values, one)
            for values, one in (
                (self.inner, 1),
                (self.outer, 1),
                (self.kernel, 1),
                (self.stride, 1),
                (self.padding, 0),
                (self.dilation, 1),
            )
        ]
        return [self.images, self.groups, *self.channels, *(n for values in three for n in values)]


def _three(values: Sequence[int], one: int) -> tuple[int, ...]:
    return (*[one] * (3 - len(values)), *values)


def _each(values: Sequence[int], axes: int) -> tuple[int, ...]:
    return tuple(values) * axes if len(values) == 1 else tuple(values)


def _demand_positive(stride: tuple[int, ...], dilation: tuple[int, ...]) -> None:
    if min(*stride, *dilation) < 1:
        raise RuntimeError(f"stride {stride} and dilation {dilation} must be 1 or more")


def _shape(
    x: torch.Tensor,
    y_sizes: Sequence[int],
    weight: torch.Tensor,
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
) -> Shape:
    """The convolution that takes x [N, C, …] to results of `y_sizes` with a weight."""
    axes = weight.ndim - 2
    channels = (weight.shape[1], weight.shape[0] // groups)
    stride, padding, dilation = (_each(v, axes) for v in (stride, padding, dilation))
    _demand_positive(stride, dilation)
    inner, taps = tuple(x.shape[2:]), tuple(weight.shape[2:])
    return Shape(
        x.shape[0], groups, channels, inner, tuple(y_sizes), taps, stride, padding, dilation
    )


def correlate(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, shape: Shape
) -> torch.Tensor:
    """The results of a convolution, [N, O, …]; tensors row-major, float32 or float64."""
    y = torch.empty((shape.images, weight.shape[0], *shape.outer), dtype=x.dtype)
    if shape.empty:
        return (
            y.zero_()
            if bias is None
            else y.copy_(bias.view(-1, *[1] * len(shape.outer)).expand_as(y))
        )
    if shape.pointwise:
        n, c = x.shape[:2]
        matrix = weight.view(weight.shape[0], c).expand(n, -1, -1)
        add = None if bias is None else bias.view(1, -1, 1)
        return multiply(matrix, x.view(n, c, -1), add).view(y.shape)
    _exact.convolution(FORWARD, x, y, weight, bias, shape.sizes())
    return y


def spread(y: torch.Tensor, weight: torch.Tensor, shape: Shape) -> torch.Tensor:
    """The gradient of a convolution's input, [N, C, …], for a gradient y of its results."""
    x = torch.empty((shape.images, shape.groups * shape.channels[0], *shape.inner), dtype=y.dtype)
    if shape.empty:
        return x.zero_()
    if shape.pointwise:
        n, o = y.shape[:2]
        matrix = weight.view(o, x.shape[1]).t().expand(n, -1, -1)
        return multiply(matrix, y.view(n, o, -1)).view(x.shape)
    _exact.convolution(INPUT, x, y, weight, None, shape.sizes())
    return x


def weight_gradient(
    x: torch.Tensor, y: torch.Tensor, weight: torch.Tensor, shape: Shape
) -> torch.Tensor:
    """The gradient of a convolution's weight for an input x and a gradient y of its results."""
    result = torch.empty(weight.shape, dtype=x.dtype)
    if shape.empty:
        return result.zero_()
    _exact.convolution(WEIGHT, x, y, result, None, shape.sizes())
    return result


@kernel("aten.convolution", "aten._convolution")
def convolution(
    op: Any,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    *switches: bool,
) -> Any:
    """A convolution, or the transposed form: the derivative of one with respect to its input."""
    tensors = [x, weight] if bias is None else [x, weight, bias]
    require_plain(op, tensors)
    _demand_positive(tuple(stride), tuple(dilation))
    result = _checked(
        op,
        x,
        weight,
        bias,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        *switches,
    )
    wide_x, wide_weight = plain(x), plain(weight)
    wide_bias = None if bias is None else plain(bias)
    if transposed:
        limits = zip(output_padding, stride, dilation, strict=False)
        fits = all(0 <= more < max(step, apart) for more, step, apart in limits)
        demand(fits, op, "output padding is smaller than stride or dilation")
    if not transposed:
        shape = _shape(x, result.shape[2:], weight, stride, padding, dilation, groups)
        return converted(correlate(wide_x, wide_weight, wide_bias, shape), x.dtype)
    shape = _shape(result, x.shape[2:], weight, stride, padding, dilation, groups)
    y = spread(wide_x, wide_weight, shape)
    if wide_bias is not None:
        elementwise("add", y, wide_bias.view(-1, *[1] * (y.ndim - 2)), out=y)
    return converted(y, x.dtype)


def _checked(op: Any, *args: Any) -> torch.Tensor:
    """What torch would return, without contents; its own error where the arguments are wrong."""
    meta = [
        torch.empty(a.shape, dtype=a.dtype, device="meta") if isinstance(a, torch.Tensor) else a
        for a in args
    ]
    x, weight = args[0], args[1]
    if x.dtype != weight.dtype or (args[2] is not None and args[2].dtype != x.dtype):
        raise RuntimeError(
            f"convolution: the input is {x.dtype}, the weight {weight.dtype}"
            + ("" if args[2] is None else f", the bias {args[2].dtype}")
            + "; they must be the same"
        )
    result: torch.Tensor = op(*meta)
    return result


@kernel("aten.convolution_backward")
def convolution_backward(
    op: Any,
    grad: Any,
    x: Any,
    weight: Any,
    bias_sizes: Any,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
    mask: Any,
) -> Any:
    """Derivatives with respect to the input, the weight and the bias."""
    require_plain(op, [grad, x, weight])
    g, wide_x, wide_weight = plain(grad), plain(x), plain(weight)
    grad_x = grad_weight = grad_bias = None
    if transposed:
        shape = _shape(grad, x.shape[2:], weight, stride, padding, dilation, groups)
        if mask[0]:
            grad_x = correlate(g, wide_weight, None, shape)
        if mask[1]:
            grad_weight = weight_gradient(g, wide_x, wide_weight, shape)
    else:
        shape = _shape(x, grad.shape[2:], weight, stride, padding, dilation, groups)
        if mask[0]:
            grad_x = spread(g, wide_weight, shape)
        if mask[1]:
            grad_weight = weight_gradient(wide_x, g, wide_weight, shape)
    if mask[2]:
        grad_bias = sum_over(g, [d for d in range(g.ndim) if d != 1])
    results = (grad_x, grad_weight, grad_bias)
    return tuple(None if r is None else converted(r, x.dtype) for r in results)
