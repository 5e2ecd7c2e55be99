"""Functions that are formulas of other operations (docs/arithmetic.md, "Element by element").

Operands broadcast against each other, and the result has the shape to which they do.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from samebits.arithmetic.operations.arguments import result_dtype, to_common
from samebits.arithmetic.operations.formulas import formula

_LARGE = 1e9
"""From here on 1 is lost beside the square of a float32."""

_LN2 = math.log(2)


def _common(x: Any, y: Any) -> tuple[Tensor, Tensor]:
    """Two operands, one of which may be a number, as tensors of one dtype and shape."""
    first, second = to_common((x, y), result_dtype((x, y), floating=True))
    return tuple(torch.broadcast_tensors(first, second))  # type: ignore[no-untyped-call]


@formula("aten.fmod.Tensor", "aten.fmod.Scalar")
def fmod(x: Any, y: Any) -> Any:
    """X − n y, n the quotient without its fraction: a float always, so that nothing rounds."""
    first, second = _common(x, y)
    with np.errstate(all="ignore"):
        found = np.fmod(first.detach().numpy(), second.detach().numpy())
    return torch.from_numpy(np.asarray(found)) * 1.0


@formula("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor")
def remainder(x: Any, y: Any) -> Tensor:
    """`fmod`; y is added where it has another sign than y."""
    first, second = _common(x, y)
    found = fmod(first, second)
    return torch.where((found != 0) & ((second < 0) != (found < 0)), found + second, found)


@formula("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def div_mode(x: Tensor, y: Any, *, rounding_mode: str | None) -> Any:
    """The quotient, or the whole number next to it toward 0 or −∞."""
    if rounding_mode is None:
        return x / y
    if rounding_mode == "trunc":
        return torch.trunc(x / y)
    return floor_divide(x, y)


@formula("aten.floor_divide", "aten.floor_divide.Scalar")
def floor_divide(x: Any, y: Any) -> Tensor:
    """(x − r) / y to the nearest whole number, r the remainder with the sign of y."""
    first, second = _common(x, y)
    rest = fmod(first, second)
    quotient = (first - rest) / second
    other_sign = (rest != 0) & ((second < 0) != (rest < 0))
    quotient = torch.where(other_sign, quotient - 1, quotient)
    whole = torch.floor(quotient)
    whole = torch.where(quotient - whole > 0.5, whole + 1, whole)
    plain = first / second
    whole = torch.where(quotient == 0, torch.copysign(torch.zeros_like(plain), plain), whole)
    return torch.where(second == 0, plain, whole)


@formula("aten.hypot")
def hypot(x: Tensor, y: Tensor) -> Tensor:
    """The root of x² + y², in binary64, rounded once; for float64 a √(1 + (b / a)²), a ≥ b."""
    first, second = _common(x, y)
    if first.dtype == torch.float64:
        return _long_side(first, second)
    found = torch.sqrt(torch.square(first.double()) + torch.square(second.double()))
    infinite = torch.isinf(first) | torch.isinf(second)
    return torch.where(infinite, math.inf, found).to(first.dtype)


def _long_side(x: Tensor, y: Tensor) -> Tensor:
    a = torch.maximum(torch.abs(x), torch.abs(y))
    ratio = torch.minimum(torch.abs(x), torch.abs(y)) / a
    found = torch.where(a == 0, 0.0, a * torch.sqrt(1 + ratio * ratio))
    return torch.where(torch.isinf(x) | torch.isinf(y), math.inf, found)


@formula("aten.logaddexp")
def logaddexp(x: Tensor, y: Tensor) -> Tensor:
    """max(x, y) + log1p(exp(−|x − y|)); x itself where both are one infinity."""
    found = torch.maximum(x, y) + torch.log1p(torch.exp(-torch.abs(x - y)))
    return torch.where((x == y) & torch.isinf(x), x, found)


@formula("aten.logaddexp2")
def logaddexp2(x: Tensor, y: Tensor) -> Tensor:
    """`logaddexp` to the base 2: log1p of exp2, times 1 / ln 2."""
    more = torch.log1p(torch.exp2(-torch.abs(x - y))) * (1 / _LN2)
    return torch.where((x == y) & torch.isinf(x), x, torch.maximum(x, y) + more)


@formula("aten.fmax")
def fmax(x: Tensor, y: Tensor) -> Tensor:
    """The larger one, or the one that is a number."""
    return torch.where(torch.isnan(x), y, torch.where(torch.isnan(y), x, torch.maximum(x, y)))


@formula("aten.fmin")
def fmin(x: Tensor, y: Tensor) -> Tensor:
    """The smaller one, or the one that is a number."""
    return torch.where(torch.isnan(x), y, torch.where(torch.isnan(y), x, torch.minimum(x, y)))


@formula("aten.heaviside", moves=True)
def heaviside(x: Tensor, at_zero: Tensor) -> Tensor:
    """0 below 0, 1 above, and what is given at 0."""
    return torch.where(x == 0, at_zero, (x > 0).to(x.dtype))


@formula("aten.nan_to_num", moves=True)
def nan_to_num(
    x: Tensor, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Tensor:
    """NaN and the infinities replaced."""
    limits = torch.finfo(x.dtype)
    low, high = (limits.min if neginf is None else neginf, limits.max if posinf is None else posinf)
    low, high = (
        bound if abs(bound) <= limits.max else math.copysign(math.inf, bound)
        for bound in (low, high)
    )
    found = torch.where(torch.isnan(x), 0.0 if nan is None else nan, x)
    return torch.where(x == -math.inf, low, torch.where(x == math.inf, high, found))


@formula("aten.frac")
def frac(x: Tensor) -> Tensor:
    """X − x without its fraction."""
    return x - torch.trunc(x)


@formula("aten.round.decimals")
def round_decimals(x: Tensor, *, decimals: int) -> Tensor:
    """X times a power of ten, to the nearest whole number, divided by the power."""
    power = 10.0 ** abs(decimals)
    return torch.round(x * power) / power if decimals >= 0 else torch.round(x / power) * power


@formula("aten.sinc")
def sinc(x: Tensor) -> Tensor:
    """sin(π x) / (π x), and 1 at 0."""
    angle = x * math.pi
    return torch.where(x == 0, 1.0, torch.sin(angle) / angle)


@formula("aten.sinh")
def sinh(x: Tensor) -> Tensor:
    """(u + u / (u + 1)) ½ to 1, u = expm1(|x|); beyond, (h ½) h − (½ / h) / h, h = exp(|x| ½)."""
    size = torch.abs(x)
    less = torch.expm1(size)
    near = (less + less / (less + 1)) * 0.5
    half = torch.exp(size * 0.5)
    far = half * 0.5 * half - 0.5 / half / half
    return torch.copysign(torch.where(size <= 1, near, far), x) * 1.0


@formula("aten.cosh")
def cosh(x: Tensor) -> Tensor:
    """(h ½) h + (½ / h) / h, h = exp(|x| ½)."""
    half = torch.exp(torch.abs(x) * 0.5)
    return half * 0.5 * half + 0.5 / half / half


@formula("aten.asinh")
def asinh(x: Tensor) -> Tensor:
    """log1p(s + s² / (1 + √(s² + 1))) with the sign of x, s = |x|; log(s) + ln 2 from 10⁹."""
    size = torch.abs(x)
    square = size * size
    near = torch.log1p(size + square / (1 + torch.sqrt(square + 1)))
    found = torch.where(size >= _LARGE, torch.log(size) + _LN2, near)
    return torch.copysign(found, x) * 1.0


@formula("aten.acosh")
def acosh(x: Tensor) -> Tensor:
    """log1p(t + √(2 t + t²)), t = x − 1; log(x) + ln 2 from 10⁹."""
    more = x - 1
    near = torch.log1p(more + torch.sqrt(2 * more + more * more))
    return torch.where(x >= _LARGE, torch.log(x) + _LN2, near)


@formula("aten.linalg_cross")
def cross(x: Tensor, y: Tensor, *, dim: int = -1) -> Any:
    """x₂ y₃ − x₃ y₂ and so on, each product rounded."""
    first, second = torch.broadcast_tensors(x, y)  # type: ignore[no-untyped-call]
    if x.ndim != y.ndim or x.shape[dim] != 3 or y.shape[dim] != 3:
        raise RuntimeError("a cross product wants vectors of three numbers")
    left = first.roll(-1, dim) * second.roll(-2, dim)
    return left - first.roll(-2, dim) * second.roll(-1, dim)


@formula("aten.special_entr")
def entr(x: Tensor) -> Tensor:
    """−x log(x); 0 at 0, −∞ below."""
    found = -x * torch.log(x)
    return torch.where(x == 0, 0.0, torch.where(x < 0, -math.inf, found))


@formula("aten.special_xlog1py")
def xlog1py(x: Tensor, y: Tensor) -> Tensor:
    """X log1p(y), and 0 where x is 0 and y is not NaN."""
    return torch.where((x == 0) & ~torch.isnan(y), 0.0, x * torch.log1p(y))


@formula("aten.ldexp.Tensor")
def ldexp(x: Tensor, exponent: Tensor) -> Tensor:
    """X times the power of 2."""
    first, second = _common(x, exponent)
    return first * torch.pow(2.0, second)
