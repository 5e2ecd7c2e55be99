"""Activations with parameters, their derivatives, powers, and the optimizers' fused forms."""

from __future__ import annotations

import math
from typing import Any

import torch

from samebits.arithmetic.kernels import elementwise, is_float
from samebits.arithmetic.operations.arguments import require_plain, result_dtype, to_common
from samebits.arithmetic.operations.pointwise import Numbers, compute
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of


@kernel("aten.threshold_backward", operation=True)
def threshold_backward(op: Any, grad: torch.Tensor, x: torch.Tensor, threshold: float) -> Any:
    """The gradient where x is above the threshold, else 0."""
    return compute(op, "threshold_backward", (grad, x), (threshold,), None, (grad, x, threshold))


@kernel("aten.tanh_backward", operation=True)
def tanh_backward(op: Any, grad: torch.Tensor, y: torch.Tensor) -> Any:
    """Grad (1 − y²)."""
    return compute(op, "tanh_backward", (grad, y), (), None, (grad, y))


@kernel("aten.sigmoid_backward", operation=True)
def sigmoid_backward(op: Any, grad: torch.Tensor, y: torch.Tensor) -> Any:
    """Grad (1 − y) y."""
    return compute(op, "sigmoid_backward", (grad, y), (), None, (grad, y))


def _gelu_kernel(op: Any, approximate: str, suffix: str = "") -> str:
    if approximate == "none":
        return f"gelu{suffix}"
    if approximate == "tanh":
        return f"gelu_tanh{suffix}"
    raise not_exact(name_of(op), f"approximate={approximate!r} is unknown")


@kernel("aten.gelu", operation=True)
def gelu(op: Any, x: torch.Tensor, *, approximate: str = "none") -> Any:
    """X Φ(x), or its form with tanh."""
    return compute(op, _gelu_kernel(op, approximate), (x,), (), None, (x,))


@kernel("aten.gelu_backward", operation=True)
def gelu_backward(
    op: Any, grad: torch.Tensor, x: torch.Tensor, *, approximate: str = "none"
) -> Any:
    """Derivative of `gelu`."""
    return compute(op, _gelu_kernel(op, approximate, "_backward"), (grad, x), (), None, (grad, x))


@kernel("aten.silu_backward", operation=True)
def silu_backward(op: Any, grad: torch.Tensor, x: torch.Tensor) -> Any:
    """Derivative of `silu`."""
    return compute(op, "silu_backward", (grad, x), (), None, (grad, x))


@kernel("aten.log_sigmoid_forward", operation=True)
def log_sigmoid_forward(op: Any, x: torch.Tensor) -> Any:
    """log(sigmoid(x)), and torch's buffer, which nothing here needs."""
    return compute(op, "log_sigmoid", (x,), (), None, (x,)), torch.empty(0, dtype=x.dtype)


@kernel("aten.log_sigmoid_backward", operation=True)
def log_sigmoid_backward(op: Any, grad: torch.Tensor, x: torch.Tensor, buffer: Any) -> Any:
    """Grad sigmoid(−x)."""
    return compute(op, "log_sigmoid_backward", (grad, x), (), None, (grad, x, buffer))


def _scalars_of(values: tuple[Any, ...]) -> Numbers:
    return tuple(float(value) for value in values)


@kernel("aten.softplus", operation=True)
def softplus(op: Any, x: torch.Tensor, beta: float = 1, threshold: float = 20) -> Any:
    """log1p(exp(beta x)) / beta, x itself above the threshold."""
    return compute(op, "softplus", (x,), _scalars_of((beta, threshold)), None, (x, beta, threshold))


@kernel("aten.softplus_backward", operation=True)
def softplus_backward(
    op: Any, grad: torch.Tensor, x: torch.Tensor, beta: float, threshold: float
) -> Any:
    """Derivative of `softplus`."""
    scalars = _scalars_of((beta, threshold))
    return compute(op, "softplus_backward", (grad, x), scalars, None, (grad, x, beta, threshold))


@kernel("aten.elu", "aten.elu_", operation=True)
def elu(
    op: Any, x: torch.Tensor, alpha: float = 1, scale: float = 1, input_scale: float = 1
) -> Any:
    """Scale x above 0, scale alpha expm1(input_scale x) below."""
    out = x if name_of(op).endswith("_") else None
    numbers = (alpha, scale, input_scale)
    return compute(op, "elu", (x,), _scalars_of(numbers), out, (x, *numbers))


@kernel("aten.elu_backward", operation=True)
def elu_backward(
    op: Any,
    grad: torch.Tensor,
    alpha: float,
    scale: float,
    input_scale: float,
    is_result: bool,
    x: torch.Tensor,
) -> Any:
    """Derivative of `elu`."""
    scalars = _scalars_of((alpha, scale, input_scale, is_result))
    return compute(
        op,
        "elu_backward",
        (grad, x),
        scalars,
        None,
        (grad, alpha, scale, input_scale, is_result, x),
    )


@kernel("aten.leaky_relu", "aten.leaky_relu_", operation=True)
def leaky_relu(op: Any, x: torch.Tensor, slope: float = 0.01) -> Any:
    """X above 0, slope x below."""
    out = x if name_of(op).endswith("_") else None
    return compute(op, "leaky_relu", (x,), (float(slope),), out, (x, slope))


@kernel("aten.leaky_relu_backward", operation=True)
def leaky_relu_backward(
    op: Any, grad: torch.Tensor, x: torch.Tensor, slope: float, is_result: bool
) -> Any:
    """Derivative of `leaky_relu`."""
    return compute(
        op, "leaky_relu_backward", (grad, x), (float(slope),), None, (grad, x, slope, is_result)
    )


@kernel("aten.hardtanh", "aten.hardtanh_", operation=True)
def hardtanh(op: Any, x: torch.Tensor, low: float = -1, high: float = 1) -> Any:
    """X held between two numbers."""
    out = x if name_of(op).endswith("_") else None
    return compute(op, "hardtanh", (x,), _scalars_of((low, high)), out, (x, low, high))


@kernel("aten.hardtanh_backward", operation=True)
def hardtanh_backward(op: Any, grad: torch.Tensor, x: torch.Tensor, low: float, high: float) -> Any:
    """Derivative of `hardtanh`."""
    return compute(
        op, "hardtanh_backward", (grad, x), _scalars_of((low, high)), None, (grad, x, low, high)
    )


@kernel(
    "aten.clamp",
    "aten.clamp_",
    "aten.clamp_min",
    "aten.clamp_min_",
    "aten.clamp_max",
    "aten.clamp_max_",
    operation=True,
)
def clamp(op: Any, x: torch.Tensor, *bounds: Any, **named: Any) -> Any:
    """X held between bounds, either of which may be missing."""
    name = name_of(op)
    if not x.is_floating_point():
        return op(x, *bounds, **named)
    low = named.get("min", bounds[0] if bounds and "max" not in name else None)
    high = named.get(
        "max", bounds[0] if bounds and "max" in name else (bounds[1] if len(bounds) > 1 else None)
    )
    if low is None and high is None:
        raise RuntimeError("clamp wants a lower bound, an upper one, or both")
    scalars = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    out = x if name.endswith("_") else None
    return compute(op, "clamp", (x,), scalars, out, (x, *bounds), named)


_CHAINS = {
    1.0: "copy", 2.0: "square", 3.0: "cube", 4.0: "fourth",
    0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal",
}  # fmt: skip
"""Powers that a kernel of their own computes: in binary32 correctly rounded like all others."""


@kernel("aten.pow.Tensor_Scalar", "aten.pow_.Scalar", operation=True)
def power(op: Any, x: torch.Tensor, exponent: Any) -> Any:
    """X to the power of a number."""
    if not is_float(x) and isinstance(exponent, int):
        return op(x, exponent)
    require_plain(op, [x])
    out = x if name_of(op) == "aten.pow_.Scalar" else None
    return _power(op, x, exponent, out, {})


@kernel("aten.pow.Tensor_Scalar_out", operation=True)
def power_into(op: Any, x: torch.Tensor, exponent: Any, *, out: torch.Tensor) -> Any:
    """X to the power of a number, written to `out`."""
    if not is_float(x) and isinstance(exponent, int):
        return op(x, exponent, out=out)
    require_plain(op, [x, out])
    return _power(op, x, exponent, out, {"out": out})


def _power(
    op: Any, x: torch.Tensor, exponent: Any, out: torch.Tensor | None, named: dict[str, Any]
) -> Any:
    (wide,) = to_common((x,), result_dtype((x, exponent), floating=True))
    args = (x, exponent)
    if exponent == 0:
        return compute(op, "copy", (torch.ones_like(wide),), (), out, args, named)
    name = _CHAINS.get(float(exponent))
    if name is not None:
        return compute(op, name, (wide,), (), out, args, named)
    if wide.dtype == torch.float64 and exponent == -2:
        return compute(op, "reciprocal", (elementwise("square", wide),), (), out, args, named)
    if wide.dtype == torch.float64 and exponent == 1.5:
        return compute(op, "mul", (wide, elementwise("sqrt", wide)), (), out, args, named)
    return compute(op, "pow_scalar", (wide,), (float(exponent),), out, args, named)


@kernel("aten.pow.Tensor_Tensor", "aten.pow_.Tensor", operation=True)
def power_of_each(op: Any, x: torch.Tensor, exponent: torch.Tensor) -> Any:
    """Each element to the power of another."""
    if not is_float(x) and not is_float(exponent):
        return op(x, exponent)
    out = x if name_of(op) == "aten.pow_.Tensor" else None
    return compute(op, "pow", (x, exponent), (), out, (x, exponent))


@kernel("aten.pow.Tensor_Tensor_out", operation=True)
def power_of_each_into(op: Any, x: Any, exponent: Any, *, out: torch.Tensor) -> Any:
    """Each element to the power of another, written to `out`."""
    if not is_float(x) and not is_float(exponent):
        return op(x, exponent, out=out)
    return compute(op, "pow", (x, exponent), (), out, (x, exponent), {"out": out})


@kernel("aten.pow.Scalar", operation=True)
def power_of_number(op: Any, x: Any, exponent: torch.Tensor) -> Any:
    """A number to the power of each element."""
    if not is_float(exponent) and isinstance(x, int):
        return op(x, exponent)
    require_plain(op, [exponent])
    (wide,) = to_common((exponent,), result_dtype((exponent, x), floating=True))
    return compute(op, "rpow_scalar", (wide,), (float(x),), None, (x, exponent))


def _fused(
    op: Any, name: str, x: Any, y: Any, z: Any, value: float, out: torch.Tensor | None
) -> Any:
    if not (x.is_floating_point() or y.is_floating_point() or z.is_floating_point()):
        return op(x, y, z, value=value) if name == "addcmul" else _refuse_whole(op)
    return compute(op, name, (x, y, z), (float(value),), out, (x, y, z), {"value": value})


def _refuse_whole(op: Any) -> Any:
    raise not_exact(name_of(op), "it is not defined for whole numbers")


@kernel("aten.addcmul", operation=True)
def addcmul(op: Any, x: Any, y: Any, z: Any, *, value: float = 1) -> Any:
    """X + value (y z)."""
    return _fused(op, "addcmul", x, y, z, value, None)


@kernel("aten.addcmul_", operation=True)
def addcmul_(op: Any, x: Any, y: Any, z: Any, *, value: float = 1) -> Any:
    """`addcmul` in place."""
    return _fused(op, "addcmul", x, y, z, value, x)


@kernel("aten.addcdiv", operation=True)
def addcdiv(op: Any, x: Any, y: Any, z: Any, *, value: float = 1) -> Any:
    """X + value (y / z)."""
    return _fused(op, "addcdiv", x, y, z, value, None)


@kernel("aten.addcdiv_", operation=True)
def addcdiv_(op: Any, x: Any, y: Any, z: Any, *, value: float = 1) -> Any:
    """`addcdiv` in place."""
    return _fused(op, "addcdiv", x, y, z, value, x)


@kernel("aten.lerp.Scalar", operation=True)
def lerp_scalar(op: Any, x: Any, y: Any, weight: float) -> Any:
    """From x toward y, by a number."""
    return compute(op, "lerp_scalar", (x, y), (float(weight),), None, (x, y, weight))


@kernel("aten.lerp_.Scalar", operation=True)
def lerp_scalar_(op: Any, x: Any, y: Any, weight: float) -> Any:
    """`lerp` in place."""
    return compute(op, "lerp_scalar", (x, y), (float(weight),), x, (x, y, weight))


@kernel("aten.lerp.Tensor", operation=True)
def lerp(op: Any, x: Any, y: Any, weight: Any) -> Any:
    """From x toward y, by a tensor."""
    return compute(op, "lerp", (x, y, weight), (), None, (x, y, weight))


@kernel("aten.lerp_.Tensor", operation=True)
def lerp_(op: Any, x: Any, y: Any, weight: Any) -> Any:
    """`lerp` in place."""
    return compute(op, "lerp", (x, y, weight), (), x, (x, y, weight))


@kernel(
    "aten.clamp.Tensor",
    "aten.clamp_.Tensor",
    "aten.clamp_min.Tensor",
    "aten.clamp_min_.Tensor",
    "aten.clamp_max.Tensor",
    "aten.clamp_max_.Tensor",
    operation=True,
)
def clamp_tensor(op: Any, x: torch.Tensor, *bounds: Any, **named: Any) -> Any:
    """X held between tensors: the larger of x and the lower one, then the smaller one."""
    name = name_of(op)
    if not x.is_floating_point():
        return op(x, *bounds, **named)
    one_sided = "max" in name
    low = named.get("min", bounds[0] if bounds and not one_sided else None)
    high = named.get("max", bounds[0] if bounds and one_sided else (bounds[1:] or (None,))[0])
    if low is None and high is None:
        raise RuntimeError("clamp wants a lower bound, an upper one, or both")
    result = x
    for kernel_name, bound in (("maximum", low), ("minimum", high)):
        if bound is not None:
            common = to_common((result, bound), result_dtype((result, bound)))
            result = compute(op, kernel_name, common, (), None, (x, *bounds), named)
    return x.copy_(result) if name.endswith("_.Tensor") else result
