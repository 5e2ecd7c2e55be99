"""Functions of complex numbers, element by element (docs/arithmetic.md, "Complex numbers").

Each is computed in binary64, by the functions of real numbers that the page defines, and each part
is rounded once. Tensors broadcast against each other; the result has the shape to which they do.
"""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.forms import exact
from samebits.arithmetic.kernels import converted, elementwise
from samebits.arithmetic.operations.arguments import torch_decides
from samebits.arithmetic.operations.complex_numbers import (
    Parts,
    common_dtype,
    joined,
    magnitude,
    parts_of,
    power_by_products,
    product,
    real_dtype,
)
from samebits.arithmetic.registry import complex_kernel, kernel, name_of

aten = torch.ops.aten


def _wide(x: Tensor) -> Parts:
    re, im = parts_of(x, x.dtype)
    return converted(re, torch.float64), converted(im, torch.float64)


def _angle(x: Parts) -> Tensor:
    return exact(aten.atan2.default)(x[1], x[0])  # type: ignore[no-any-return]


def logarithm(x: Parts) -> Parts:
    """The logarithm of the magnitude, and the angle; parts of binary64."""
    a, b = (elementwise("abs", part) for part in x)
    larger, smaller = elementwise("maximum", a, b), elementwise("minimum", a, b)
    ratio = elementwise("div", smaller, larger)
    ratio = ratio.masked_fill((larger == 0) | torch.isinf(larger), 0.0)
    rest = exact(aten.log1p.default)(elementwise("mul", ratio, ratio))
    size = elementwise(
        "add", exact(aten.log.default)(larger), elementwise("mul_scalar", rest, scalars=(0.5,))
    )
    infinite = torch.isinf(a) | torch.isinf(b)
    return size.masked_fill(infinite, math.inf), _angle(x)


_BASES = {"aten.log": None, "aten.log2": math.log(2), "aten.log10": math.log(10)}


@complex_kernel(*_BASES)
def log(op: Any, x: Tensor) -> Tensor:
    """Log x; to the base 2 or 10 each part divided by the logarithm of that."""
    parts = logarithm(_wide(x))
    base = _BASES[name_of(op)]
    if base is not None:
        re, im = (elementwise("div_scalar", part, scalars=(base,)) for part in parts)
        parts = re, im
    return _rounded(parts, x.dtype)


@complex_kernel("aten.sqrt")
def sqrt(op: Any, x: Tensor) -> Tensor:
    """√x, whose real part is not negative and whose imaginary part has the sign of that of x."""
    a, b = parts = _wide(x)
    size = magnitude(parts)
    longer = elementwise("sqrt", _half(elementwise("add", size, elementwise("abs", a))))
    shorter = elementwise("div", _half(elementwise("abs", b)), longer)
    ends = (longer == 0) | (torch.isinf(longer) & ~torch.isnan(b))
    shorter = shorter.masked_fill(ends, 0.0)
    left = a < 0
    re, im = torch.where(left, shorter, longer), torch.where(left, longer, shorter)
    infinite = torch.isinf(b)
    re, im = re.masked_fill(infinite, math.inf), im.masked_fill(infinite, math.inf)
    im = im.masked_fill(torch.isnan(a) & ~infinite, math.nan)
    return _rounded((re, torch.where(torch.isnan(im), im, torch.copysign(im, b))), x.dtype)


@complex_kernel("aten.angle")
def angle(op: Any, x: Tensor) -> Tensor:
    """The angle of x, correctly rounded, which is real."""
    re, im = parts_of(x, x.dtype)
    return _angle((re, im))


@kernel("aten.angle")
def angle_of_real(op: Any, x: Tensor) -> Tensor:
    """π for x < 0, else 0; NaN for NaN."""
    if not x.is_floating_point():
        x = converted(x, torch.get_default_dtype())
    found = torch.zeros_like(x).masked_fill(x < 0, math.pi)
    return found.masked_fill(torch.isnan(x), math.nan)


def power(x: Parts, y: Parts) -> Parts:
    """exp(y log x); 1 for y = 0, and 0 for x = 0 where the real part of y is positive."""
    re, im = product(y, logarithm(x))
    size = exact(aten.exp.default)(re)
    re = elementwise("mul", size, exact(aten.cos.default)(im))
    im = elementwise("mul", size, exact(aten.sin.default)(im))
    zero = (x[0] == 0) & (x[1] == 0) & (y[0] > 0)
    re, im = re.masked_fill(zero, 0.0), im.masked_fill(zero, 0.0)
    one = (y[0] == 0) & (y[1] == 0)
    return re.masked_fill(one, 1.0), im.masked_fill(one, 0.0)


@complex_kernel("aten.pow.Tensor_Scalar")
def power_by_number(op: Any, x: Any, exponent: Any) -> Tensor:
    """X to the power of a number: products for whole ones from −4 to 4, the root for ½."""
    dtype = common_dtype(op, x, exponent)
    if exponent in range(-4, 5):
        return power_by_products(x, int(complex(exponent).real), dtype)
    if exponent == 0.5:
        return sqrt(aten.sqrt.default, joined(*parts_of(x, dtype)))
    return _powers(op, x, exponent)


@complex_kernel("aten.pow.Tensor_Tensor", "aten.pow.Scalar")
def power_of_each(op: Any, x: Any, exponent: Any) -> Tensor:
    """Each element to the power of another."""
    torch_decides(op, (x, exponent), {})
    return _powers(op, x, exponent)


def _powers(op: Any, x: Any, exponent: Any) -> Tensor:
    dtype = common_dtype(op, x, exponent)
    wide = torch.complex128
    first, second = torch.broadcast_tensors(  # type: ignore[no-untyped-call]
        *(joined(*parts_of(one, dtype)) for one in (x, exponent))
    )
    return _rounded(power(parts_of(first, wide), parts_of(second, wide)), dtype)


def _half(x: Tensor) -> Tensor:
    return elementwise("mul_scalar", x, scalars=(0.5,))


def _rounded(parts: Parts, dtype: torch.dtype) -> Tensor:
    re, im = (converted(part, real_dtype(dtype)) for part in parts)
    return joined(re, im)
