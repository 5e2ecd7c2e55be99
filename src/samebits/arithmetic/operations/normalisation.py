"""Layer, group and batch normalisation, and softmax (docs/arithmetic.md, "Rows").

Results have the shape of x. Weights and biases are those of the normalised axes for layers, else
[C] for [N, C, *places]; statistics have one number for each group of values.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import converted, elementwise, plain, widened
from samebits.arithmetic.operations import rows_of_float64
from samebits.arithmetic.operations.arguments import demand, require_plain, torch_decides
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of
from samebits.arithmetic.shortcuts import of_rows

Optional = torch.Tensor | None


def _some(*tensors: Optional) -> list[torch.Tensor]:
    return [t for t in tensors if t is not None]


def _wide(tensor: Optional) -> Optional:
    return None if tensor is None else plain(tensor)


@kernel("aten.native_layer_norm")
def layer_norm(
    op: Any, x: torch.Tensor, shape: Any, weight: Optional, bias: Optional, eps: float
) -> Any:
    """(x − mean) rstd weight + bias over the last axes; mean and rstd."""
    require_plain(op, _some(x, weight, bias))
    demand(len(shape) > 0, op, "normalisation is over one axis at least")
    n = math.prod(shape)
    if list(x.shape[x.ndim - len(shape) :]) != list(shape) or any(
        list(t.shape) != list(shape) for t in _some(weight, bias)
    ):
        torch_decides(op, (x, shape, weight, bias, eps), {})
    rows = x.numel() // n if n else 0
    kept = [*x.shape[: x.ndim - len(shape)], *(1 for _ in shape)]
    values = plain(x)
    y = torch.empty_like(values)
    mean, rstd = (torch.empty(kept, dtype=values.dtype) for _ in range(2))
    if values.numel():
        _exact.norm(
            y,
            values,
            mean,
            rstd,
            None,
            _wide(weight),
            _wide(bias),
            (rows, n, 1, 0, 1, 0, n, 0, 0, 1, n),
            eps,
        )
    return converted(y, x.dtype), converted(mean, x.dtype), converted(rstd, x.dtype)


@kernel("aten.native_layer_norm_backward")
def layer_norm_backward(
    op: Any,
    grad: Any,
    x: Any,
    shape: Any,
    mean: Any,
    rstd: Any,
    weight: Optional,
    bias: Optional,
    mask: Any,
) -> Any:
    """Derivatives with respect to x, weight and bias."""
    require_plain(op, _some(grad, x, mean, rstd, weight))
    n = math.prod(shape)
    rows = x.numel() // n if n else 0
    g, values = plain(grad), plain(x)
    mean, rstd = plain(mean), plain(rstd)
    grad_x = grad_weight = grad_bias = None
    if mask[0]:
        grad_x = torch.empty_like(values)
        if values.numel():
            _exact.norm_backward(
                grad_x, g, values, mean, rstd, _wide(weight), (rows, n, 1, 0, 1, 0, n, 0, 0, 1, n)
            )
        grad_x = converted(grad_x, x.dtype)
    wanted = mask[1] and weight is not None, mask[2] and bias is not None
    factors = _factors(wanted, g, values, mean, rstd, (rows, n, 1, 1, n))
    if weight is not None and factors[0] is not None:
        grad_weight = converted(factors[0].view(shape), weight.dtype)
    if bias is not None and factors[1] is not None:
        grad_bias = converted(factors[1].view(shape), bias.dtype)
    return grad_x, grad_weight, grad_bias


def _factors(
    wanted: tuple[bool, bool],
    grad: torch.Tensor,
    x: torch.Tensor,
    mean: torch.Tensor,
    rstd: torch.Tensor,
    geometry: tuple[int, int, int, int, int],
) -> tuple[Optional, Optional]:
    """The derivatives of weights and biases, one pass for both.

    Args:
        wanted: Which of the two.
        grad: Of the result; row-major, [outer, channels, inner] in this order.
        x: As `grad`.
        mean: Those of (o, c) are number o × mean_outer + c ÷ mean_channels.
        rstd: As `mean`.
        geometry: outer, channels, inner, mean_outer, mean_channels.
    """
    made = torch.empty if x.numel() else torch.zeros
    weight, bias = (made(geometry[1], dtype=x.dtype) if one else None for one in wanted)
    if x.numel() and any(wanted):
        _exact.norm_factors(weight, bias, grad, x, mean, rstd, *geometry)
    return weight, bias


@kernel("aten.native_group_norm")
def group_norm(
    op: Any,
    x: Any,
    weight: Optional,
    bias: Optional,
    n: int,
    c: int,
    hw: int,
    groups: int,
    eps: float,
) -> Any:
    """Normalises the channels of each group and place together; mean and rstd."""
    require_plain(op, _some(x, weight, bias))
    if weight is None and bias is not None:
        weight = torch.ones_like(bias)  # the kernel looks channels up by their weights
    values = plain(x)
    y = torch.empty_like(values)
    mean, rstd = (torch.empty((n, groups), dtype=values.dtype) for _ in range(2))
    if values.numel():
        _exact.norm(
            y,
            values,
            mean,
            rstd,
            None,
            _wide(weight),
            _wide(bias),
            _by_group(n, c, hw, groups),
            eps,
        )
    return converted(y, x.dtype), converted(mean, x.dtype), converted(rstd, x.dtype)


def _by_group(n: int, c: int, hw: int, groups: int) -> tuple[int, ...]:
    length = c // groups * hw
    return (n, c * hw, groups, length, 1, 0, length, c // groups, 0, hw, c)


@kernel("aten.native_group_norm_backward")
def group_norm_backward(
    op: Any,
    grad: Any,
    x: Any,
    mean: Any,
    rstd: Any,
    weight: Optional,
    n: int,
    c: int,
    hw: int,
    groups: int,
    mask: Any,
) -> Any:
    """Derivatives with respect to x, weight and bias."""
    require_plain(op, _some(grad, x, mean, rstd, weight))
    g, values = plain(grad), plain(x)
    mean, rstd = plain(mean), plain(rstd)
    grad_x = grad_weight = grad_bias = None
    if mask[0]:
        grad_x = torch.empty_like(values)
        if values.numel():
            _exact.norm_backward(
                grad_x, g, values, mean, rstd, _wide(weight), _by_group(n, c, hw, groups)
            )
        grad_x = converted(grad_x, x.dtype)
    geometry = (n, c, hw, groups, c // groups)
    grad_weight, grad_bias = _factors((mask[1], mask[2]), g, values, mean, rstd, geometry)
    return (
        grad_x,
        None if grad_weight is None else converted(grad_weight, x.dtype),
        None if grad_bias is None else converted(grad_bias, x.dtype),
    )


def _by_channel(x: torch.Tensor) -> tuple[int, ...]:
    n, c = x.shape[0], x.shape[1]
    length = math.prod(x.shape[2:])
    return (1, 0, c, length, n, c * length, length, 1, 0, length, c)


def _apply_statistics(
    values: torch.Tensor, mean: torch.Tensor, rstd: torch.Tensor, weight: Optional, bias: Optional
) -> torch.Tensor:
    inner = math.prod(values.shape[2:])
    if inner > 1 and values.numel():
        y = torch.empty_like(values)
        statistics = (plain(mean), plain(rstd), weight, bias)
        _exact.channels(y, values, *statistics, values.shape[0], values.shape[1], inner)
        return y
    shape = [1, -1] + [1] * (values.ndim - 2)
    y = elementwise("sub_mul", values, mean.view(shape), rstd.view(shape))
    if weight is not None and bias is not None:
        elementwise("mul_add", y, weight.view(shape), bias.view(shape), out=y)  # rounds twice
    elif weight is not None:
        elementwise("mul", y, weight.view(shape), out=y)
    elif bias is not None:
        elementwise("add", y, bias.view(shape), out=y)
    return y


@kernel(
    "aten.native_batch_norm",
    "aten._native_batch_norm_legit",
    "aten._native_batch_norm_legit.no_stats",
    "aten._native_batch_norm_legit_no_training",
)
def batch_norm(op: Any, x: Any, weight: Optional, bias: Optional, *rest: Any) -> Any:
    """Normalises each channel over the batch and all places; its mean and rstd."""
    if name_of(op).endswith("no_stats"):
        running_mean = running_var = None
        training, momentum, eps = rest
    elif name_of(op).endswith("no_training"):
        running_mean, running_var, momentum, eps = rest
        training = False
    else:
        running_mean, running_var, training, momentum, eps = rest
    require_plain(op, _some(x, weight, bias, running_mean, running_var))
    values = plain(x)
    weight, bias = _wide(weight), _wide(bias)
    channels = x.shape[1]
    if not training:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                f"{name_of(op)}: without statistics of its own it needs running ones"
            )
        shifted = elementwise("add_scalar", widened(running_var), scalars=(eps,))
        y = _apply_statistics(
            values, widened(running_mean), elementwise("rsqrt", shifted), weight, bias
        )
        return converted(y, x.dtype), x.new_empty(0), x.new_empty(0)
    y = torch.empty_like(values)
    mean, rstd, variance = (torch.empty(channels, dtype=values.dtype) for _ in range(3))
    if values.numel():
        _exact.norm(y, values, mean, rstd, variance, weight, bias, _by_channel(values), eps)
    count = values.numel() // channels if channels else 0
    if running_mean is not None:
        _blend(running_mean, mean, momentum)
    if running_var is not None:
        # Of the population, not of the batch.
        elementwise("mul_scalar", variance, scalars=(count,), out=variance)
        elementwise("div_scalar", variance, scalars=(count - 1,), out=variance)
        _blend(running_var, variance, momentum)
    return converted(y, x.dtype), mean, rstd


def _blend(running: torch.Tensor, fresh: torch.Tensor, momentum: float) -> None:
    """Running becomes (1 − momentum) running + momentum fresh."""
    if any(
        step == 0 and size > 1 for step, size in zip(running.stride(), running.shape, strict=True)
    ):
        raise not_exact(
            "aten.native_batch_norm", "its running statistics were expanded; clone() them first"
        )
    wide = widened(running)
    kept = elementwise("mul_scalar", wide, scalars=(1 - momentum,))
    added = elementwise("mul_scalar", fresh, scalars=(momentum,))
    elementwise("add", kept, added, out=kept)
    running.copy_(converted(kept, running.dtype))


@kernel("aten.native_batch_norm_backward")
def batch_norm_backward(
    op: Any,
    grad: Any,
    x: Any,
    weight: Optional,
    running_mean: Optional,
    running_var: Optional,
    mean: Optional,
    rstd: Optional,
    training: bool,
    eps: float,
    mask: Any,
) -> Any:
    """Derivatives with respect to x, weight and bias."""
    require_plain(op, _some(grad, x, weight, running_mean, running_var))
    g, values = plain(grad), plain(x)
    weight = _wide(weight)
    if not training:
        if running_mean is None or running_var is None:
            raise RuntimeError(
                f"{name_of(op)}: without statistics of its own it needs running ones"
            )
        mean = widened(running_mean)
        rstd = elementwise("rsqrt", elementwise("add_scalar", widened(running_var), scalars=(eps,)))
    if mean is None or rstd is None:
        raise RuntimeError(f"{name_of(op)}: the statistics of the forward pass are missing")
    mean, rstd = plain(mean), plain(rstd)
    shape = [1, -1] + [1] * (x.ndim - 2)
    grad_x = None
    if mask[0]:
        if training:
            grad_x = torch.empty_like(values)
            if values.numel():
                _exact.norm_backward(grad_x, g, values, mean, rstd, weight, _by_channel(values))
        else:
            scale = rstd if weight is None else elementwise("mul", weight, rstd)
            grad_x = elementwise("mul", g, scale.view(shape))
        grad_x = converted(grad_x, x.dtype)
    geometry = (x.shape[0], x.shape[1], math.prod(x.shape[2:]), 0, 1)
    return grad_x, *_factors((mask[1], mask[2]), g, values, mean, rstd, geometry)


def _last(x: torch.Tensor, dim: int) -> torch.Tensor:
    """The axis `dim` moved to the end, row-major."""
    if x.ndim == 0:
        return x.reshape(1)
    return x.movedim(dim, -1).contiguous()


def _back(x: torch.Tensor, dim: int, ndim: int) -> torch.Tensor:
    if ndim == 0:
        return x.reshape(())
    return x if dim in (-1, ndim - 1) else x.movedim(-1, dim).contiguous()


def _over_axis(
    kernel_call: Any, dim: int, dtype: torch.dtype, *tensors: torch.Tensor
) -> torch.Tensor:
    ndim = tensors[0].ndim
    if dtype == tensors[0].dtype and ndim and dim in (-1, ndim - 1):
        inputs = [t.contiguous() for t in tensors]
        out = torch.empty_like(inputs[0])
        if out.numel():
            kernel_call(out, *inputs)
        return out
    inputs = [_last(t, dim) for t in tensors]
    out = torch.empty_like(inputs[0])
    if out.numel():
        kernel_call(out, *inputs)
    return converted(_back(out, dim, ndim), dtype)


def _softmax_input(
    op: Any, x: torch.Tensor, half_to_float: bool
) -> tuple[torch.Tensor, torch.dtype]:
    require_plain(op, [x])
    return widened(x), torch.float32 if half_to_float else x.dtype


@kernel("aten._softmax", shortcut=of_rows(0))
def softmax(op: Any, x: torch.Tensor, dim: int, half_to_float: bool) -> Any:
    """exp(x − max) divided by its sum."""
    wide, dtype = _softmax_input(op, x, half_to_float)
    rows = rows_of_float64.softmax if wide.dtype == torch.float64 else _exact.softmax
    return _over_axis(rows, dim, dtype, wide)


@kernel("aten._log_softmax", shortcut=of_rows(1))
def log_softmax(op: Any, x: torch.Tensor, dim: int, half_to_float: bool) -> Any:
    """(x − max) − log(sum of exp(x − max))."""
    wide, dtype = _softmax_input(op, x, half_to_float)
    rows = rows_of_float64.log_softmax if wide.dtype == torch.float64 else _exact.log_softmax
    return _over_axis(rows, dim, dtype, wide)


@kernel("aten._softmax_backward_data", shortcut=of_rows(2))
def softmax_backward(op: Any, grad: Any, y: Any, dim: int, dtype: torch.dtype) -> Any:
    """Y (grad − sum of grad y)."""
    wide, _ = _softmax_input(op, y, False)
    wide64 = wide.dtype == torch.float64
    rows = rows_of_float64.softmax_backward if wide64 else _exact.softmax_backward
    return _over_axis(rows, dim, dtype, widened(grad), wide)


@kernel("aten._log_softmax_backward_data", shortcut=of_rows(3))
def log_softmax_backward(op: Any, grad: Any, y: Any, dim: int, dtype: torch.dtype) -> Any:
    """Grad − exp(y) times the sum of grad."""
    wide, _ = _softmax_input(op, y, False)
    wide64 = wide.dtype == torch.float64
    rows = rows_of_float64.log_softmax_backward if wide64 else _exact.log_softmax_backward
    return _over_axis(rows, dim, dtype, widened(grad), wide)
