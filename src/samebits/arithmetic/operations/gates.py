"""Activations that are formulas, and their derivatives (docs/arithmetic.md, "Element by element").

Results have the shape of x, and gradients that of what they belong to; `glu` halves one axis.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.operations.arguments import require_plain
from samebits.arithmetic.operations.formulas import formula
from samebits.arithmetic.registry import decomposition, name_of

aten = torch.ops.aten


@formula("aten._prelu_kernel")
def prelu(x: Tensor, weight: Tensor) -> Tensor:
    """X above 0, weight x below."""
    return torch.where(x > 0, x, weight * x)


@formula("aten._prelu_kernel_backward")
def prelu_backward(grad: Tensor, x: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Derivatives of `prelu` with respect to x and, for each element, to the weight."""
    above = x > 0
    return torch.where(above, grad, weight * grad), torch.where(above, 0.0, x * grad)


@formula("aten.glu")
def glu(x: Tensor, dim: int = -1) -> Tensor:
    """The first half times the sigmoid of the second one."""
    first, second = _halves(x, dim)
    return first * torch.sigmoid(second)


@formula("aten.glu_backward")
def glu_backward(grad: Tensor, x: Tensor, dim: int) -> Tensor:
    """Grad s and ((1 − s) s grad) a, for a the first half and s the sigmoid of the second."""
    first, second = _halves(x, dim)
    gate = torch.sigmoid(second)
    return torch.cat([grad * gate, (1 - gate) * gate * grad * first], dim)


@formula("aten.glu_jvp")
def glu_jvp(found: Tensor, x: Tensor, dx: Tensor, dim: int) -> Tensor:
    """Da s + (found (1 − s)) db: forward derivative for directions da and db of the halves."""
    _, second = _halves(x, dim)
    first_way, second_way = _halves(dx, dim)
    gate = torch.sigmoid(second)
    return first_way * gate + found * (1 - gate) * second_way


def _halves(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    size = x.size(dim)
    if size % 2:
        raise RuntimeError(f"glu halves an axis, but axis {dim} has {size} elements")
    return x.narrow(dim, 0, size // 2), x.narrow(dim, size // 2, size // 2)


@formula("aten.mish")
def mish(x: Tensor) -> Tensor:
    """X tanh(log1p(exp(x)))."""
    return x * torch.tanh(torch.log1p(torch.exp(x)))


@formula("aten.mish_backward")
def mish_backward(grad: Tensor, x: Tensor) -> Tensor:
    """Grad (t + x s (1 − t²)), with t the hyperbolic tangent in `mish` and s the sigmoid of x."""
    tangent = torch.tanh(torch.log1p(torch.exp(x)))
    return grad * (tangent + x * torch.sigmoid(x) * (1 - tangent * tangent))


@formula("aten.celu")
def celu(x: Tensor, alpha: float = 1.0) -> Any:
    """X above 0, alpha expm1(x / alpha) below."""
    if alpha == 0:
        raise RuntimeError("celu divides by alpha, which must not be 0")
    return aten.elu(x, alpha, 1.0, 1.0 / alpha)


@formula("aten.hardswish")
def hardswish(x: Tensor) -> Tensor:
    """X times x + 3 held between 0 and 6, divided by 6."""
    return (x + 3).clamp_(0, 6).mul_(x).div_(6)


@formula("aten.hardswish_backward")
def hardswish_backward(grad: Tensor, x: Tensor) -> Tensor:
    """0 to −3, grad from 3, grad (x / 3 + ½) between."""
    return torch.where(x <= -3, 0.0, torch.where(x < 3, grad * (x / 3 + 0.5), grad))


@formula("aten.hardsigmoid")
def hardsigmoid(x: Tensor) -> Tensor:
    """X + 3 held between 0 and 6, divided by 6."""
    return (x + 3).clamp_(0, 6).div_(6)


@formula("aten.hardsigmoid_backward")
def hardsigmoid_backward(grad: Tensor, x: Tensor) -> Tensor:
    """Grad / 6 between −3 and 3, else 0."""
    return torch.where((x > -3) & (x < 3), grad / 6, 0.0)


@formula("aten.hardshrink")
def hardshrink(x: Tensor, bound: float = 0.5) -> Tensor:
    """0 from −bound to bound, else x."""
    return torch.where((x >= -bound) & (x <= bound), 0.0, x)


@formula("aten.hardshrink_backward", "aten.softshrink_backward")
def shrink_backward(grad: Tensor, x: Tensor, bound: float) -> Tensor:
    """0 from −bound to bound, else grad."""
    return torch.where((x >= -bound) & (x <= bound), 0.0, grad)


@formula("aten.softshrink")
def softshrink(x: Tensor, bound: float = 0.5) -> Tensor:
    """X moved toward 0 by the bound, 0 within it."""
    if bound < 0:
        raise RuntimeError(f"softshrink wants a bound of 0 or more, not {bound}")
    outside = torch.where(x < -bound, x + bound, torch.where(torch.isnan(x), x, 0.0))
    return torch.where(x > bound, x - bound, outside)


@formula("aten.threshold")
def threshold(x: Tensor, bound: float, value: float) -> Tensor:
    """X above the bound, else the value."""
    return torch.where(x <= bound, value, x)


@decomposition("aten.rrelu_with_noise", "aten.rrelu_with_noise_", under_mode=True)
def rrelu(
    op: Any, x: Tensor, noise: Tensor, low: float = 1 / 8, high: float = 1 / 3,
    training: bool = False, generator: torch.Generator | None = None,
) -> Tensor:  # fmt: skip
    """X above 0, else x times a slope: drawn in training (one for each element), or the middle."""
    require_plain(op, [x, noise])
    if training:
        drawn = torch.empty(x.shape).uniform_(low, high, generator=generator)
        noise.copy_(torch.where(x > 0, 1.0, drawn))
        found = x * noise
    else:
        found = torch.where(x > 0, x, x * ((low + high) / 2))
    return x.copy_(found) if name_of(op).endswith("_") else found


@formula("aten.rrelu_with_noise_backward")
def rrelu_backward(
    grad: Tensor, x: Tensor, noise: Tensor, low: float, high: float, training: bool, _: bool
) -> Tensor:
    """Grad times the slope of each element: drawn in training, else the middle."""
    if training and high - low > 1e-6:
        return grad * noise
    return torch.where(x > 0, grad, grad * ((low + high) / 2))


@formula("aten.logit")
def logit(x: Tensor, eps: float | None = None) -> Tensor:
    """log(x / (1 − x)), of x held between eps and 1 − eps where eps is given."""
    if eps is not None:
        x = x.clamp(eps, 1 - eps)
    return torch.log(x / (1 - x))


@formula("aten.logit_backward")
def logit_backward(grad: Tensor, x: Tensor, eps: float | None = None) -> Tensor:
    """Grad / (x (1 − x)), 0 where `logit` held x."""
    low, high = (0.0, 1.0) if eps is None else (eps, 1 - eps)
    outside: Any = float("nan") if eps is None else 0.0
    return torch.where((x >= low) & (x <= high), grad / (x * (1 - x)), outside)


@formula("aten.deg2rad")
def deg2rad(x: Tensor) -> Tensor:
    """X times π / 180."""
    return x * 0.017453292519943295


@formula("aten.rad2deg")
def rad2deg(x: Tensor) -> Tensor:
    """X times 180 / π."""
    return x * 57.29577951308232


@formula("aten.tan")
def tan(x: Tensor) -> Tensor:
    """The sine divided by the cosine."""
    return torch.sin(x) / torch.cos(x)


@formula("aten.atanh")
def atanh(x: Tensor) -> Tensor:
    """½ log1p(2 |x| / (1 − |x|)), with the sign of x."""
    size = torch.abs(x)
    return torch.copysign(torch.log1p(2 * size / (1 - size)) * 0.5, x) * 1.0
