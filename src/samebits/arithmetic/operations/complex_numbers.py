"""Complex numbers, element by element (docs/arithmetic.md, "Complex numbers").

Tensors broadcast against each other, and the result has the shape to which they do. A complex
tensor is seen as its real and its imaginary parts, each a real tensor of its shape.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from samebits.arithmetic.forms import exact
from samebits.arithmetic.kernels import converted, elementwise
from samebits.arithmetic.operations.arguments import (
    broadcast_shape,
    result_dtype,
    torch_decides,
)
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import (
    COMPLEX,
    REAL,
    complex_kernel,
    kernel,
    name_of,
)

aten = torch.ops.aten
Parts = tuple[Tensor, Tensor]


def real_dtype(dtype: torch.dtype) -> torch.dtype:
    """The dtype of the parts of complex numbers; that of real ones themselves."""
    return {torch.complex64: torch.float32, torch.complex128: torch.float64}.get(dtype, dtype)


def common_dtype(op: Any, *operands: Any) -> torch.dtype:
    """The complex dtype in which torch computes with these operands.

    Raises:
        NotExactError: It is one for which nothing is defined.
    """
    dtype = result_dtype(operands)
    if dtype not in COMPLEX:
        raise not_exact(name_of(op), f"it is not defined for {dtype}".replace("torch.", ""))
    return dtype


def parts_of(x: Any, dtype: torch.dtype) -> Parts:
    """Real and imaginary parts of a tensor or a number, in the dtype of a complex dtype's parts."""
    real = real_dtype(dtype)
    if not isinstance(x, Tensor):
        number = complex(x)
        return torch.tensor(number.real, dtype=real), torch.tensor(number.imag, dtype=real)
    if not x.is_complex():
        return converted(x.resolve_neg(), real), torch.zeros((), dtype=real)
    planes = torch.view_as_real(x.resolve_conj().resolve_neg())
    return converted(planes[..., 0], real), converted(planes[..., 1], real)


def joined(re: Tensor, im: Tensor, shape: torch.Size | None = None) -> Tensor:
    """A complex tensor of its parts, which broadcast."""
    shape = broadcast_shape(re, im) if shape is None else shape
    planes = torch.empty((*shape, 2), dtype=re.dtype)
    planes[..., 0] = re
    planes[..., 1] = im
    return torch.view_as_complex(planes)


def product(x: Parts, y: Parts) -> Parts:
    """The product: (a c − b d, a d + b c), every operation rounded."""
    (a, b), (c, d) = x, y
    re = elementwise("sub", elementwise("mul", a, c), elementwise("mul", b, d))
    return re, elementwise("add", elementwise("mul", a, d), elementwise("mul", b, c))


def quotient(x: Parts, y: Parts) -> Parts:
    """The quotient after Smith (1962), in binary64, each part rounded once."""
    dtype = x[0].dtype
    a, b, c, d = (converted(part, torch.float64) for part in (*x, *y))
    # Where the imaginary part of the divisor is larger, both are multiplied by −i.
    turned = elementwise("abs", d) > elementwise("abs", c)
    c, d = torch.where(turned, d, c), torch.where(turned, elementwise("neg", c), d)
    first, second = torch.where(turned, b, a), torch.where(turned, elementwise("neg", a), b)
    ratio = elementwise("div", d, c)
    below = elementwise("add", c, elementwise("mul", d, ratio))
    re = elementwise("add", first, elementwise("mul", second, ratio))
    im = elementwise("sub", second, elementwise("mul", first, ratio))
    return (
        converted(elementwise("div", re, below), dtype),
        converted(elementwise("div", im, below), dtype),
    )


def magnitude(x: Parts) -> Tensor:
    """|x| = m √(1 + t t), m the larger one of the parts' magnitudes, t the smaller one ÷ m."""
    a, b = (elementwise("abs", converted(part, torch.float64)) for part in x)
    larger, smaller = elementwise("maximum", a, b), elementwise("minimum", a, b)
    ratio = elementwise("div", smaller, larger)
    root = elementwise(
        "sqrt", elementwise("add_scalar", elementwise("mul", ratio, ratio), scalars=(1.0,))
    )
    found = elementwise("mul", larger, root)
    found = torch.where(larger == 0, larger, found)
    found = found.masked_fill((a == torch.inf) | (b == torch.inf), torch.inf)
    return converted(found, x[0].dtype)


def _two(op: Any, x: Any, y: Any) -> tuple[Parts, Parts]:
    torch_decides(op, (x, y), {})
    dtype = common_dtype(op, x, y)
    return parts_of(x, dtype), parts_of(y, dtype)


@complex_kernel("aten.mul.Tensor", "aten.mul.Scalar")
def mul(op: Any, x: Any, y: Any) -> Tensor:
    """X y."""
    return joined(*product(*_two(op, x, y)))


@complex_kernel("aten.div.Tensor", "aten.div.Scalar")
def div(op: Any, x: Any, y: Any) -> Tensor:
    """X ÷ y."""
    return joined(*quotient(*_two(op, x, y)))


@complex_kernel("aten.reciprocal")
def reciprocal(op: Any, x: Tensor) -> Tensor:
    """1 ÷ x."""
    return joined(*quotient(parts_of(1, x.dtype), parts_of(x, x.dtype)))


def _sum(op: Any, x: Any, y: Any, alpha: Any, kernel: str) -> Tensor:
    first, second = _two(op, x, y)
    if alpha != 1:
        second = product(parts_of(alpha, common_dtype(op, x, y)), second)
    re, im = (elementwise(kernel, a, b) for a, b in zip(first, second, strict=True))
    return joined(re, im)


@complex_kernel("aten.add.Tensor", "aten.add.Scalar")
def add(op: Any, x: Any, y: Any, alpha: Any = 1) -> Tensor:
    """X + alpha y."""
    return _sum(op, x, y, alpha, "add")


@complex_kernel("aten.sub.Tensor", "aten.sub.Scalar")
def sub(op: Any, x: Any, y: Any, alpha: Any = 1) -> Tensor:
    """X − alpha y."""
    return _sum(op, x, y, alpha, "sub")


@complex_kernel("aten.rsub.Tensor", "aten.rsub.Scalar")
def rsub(op: Any, x: Any, y: Any, alpha: Any = 1) -> Tensor:
    """Y − alpha x."""
    y = y if isinstance(y, Tensor) else torch.tensor(y)
    return _sum(aten.sub.Tensor, y, x, alpha, "sub")


@complex_kernel("aten.neg")
def neg(op: Any, x: Tensor) -> Tensor:
    """−x."""
    re, im = (elementwise("neg", part) for part in parts_of(x, x.dtype))
    return joined(re, im)


@complex_kernel("aten._conj_physical", "aten.conj_physical")
def conj_physical(op: Any, x: Tensor) -> Tensor:
    """The conjugate number, in memory of its own."""
    re, im = parts_of(x, x.dtype)
    return joined(re, elementwise("neg", im))


@complex_kernel("aten.abs")
def absolute(op: Any, x: Tensor) -> Tensor:
    """|x|, which is real."""
    return magnitude(parts_of(x, x.dtype))


@complex_kernel("aten.sgn")
def sgn(op: Any, x: Tensor) -> Tensor:
    """X ÷ |x|, and 0 for 0."""
    parts = parts_of(x, x.dtype)
    size = magnitude(parts)
    zero = size == 0
    re, im = (elementwise("div", part, size).masked_fill(zero, 0.0) for part in parts)
    return joined(re, im)


def power_by_products(x: Tensor, count: int, dtype: torch.dtype) -> Tensor:
    """X to the power of a whole number: x × x, times x, and so on; 1 ÷ that below 0."""
    parts = parts_of(x, dtype)
    found = parts if count else parts_of(1, dtype)
    for _ in range(abs(count) - 1):
        found = product(found, parts)
    if count < 0:
        found = quotient(parts_of(1, dtype), found)
    return joined(*found, shape=x.shape)


@complex_kernel("aten.exp")
def exp(op: Any, x: Tensor) -> Tensor:
    """The number with the magnitude exp a and the angle b."""
    re, im = parts_of(x, x.dtype)
    return _polar(exact(aten.exp.default)(re), im)


@kernel("aten.polar")
def polar(op: Any, size: Tensor, angle: Tensor) -> Tensor:
    """The number of a magnitude and an angle: r cos(a) and r sin(a)."""
    torch_decides(op, (size, angle), {})
    return _polar(size, angle)


def _polar(size: Tensor, angle: Tensor) -> Tensor:
    cosine, sine = exact(aten.cos.default)(angle), exact(aten.sin.default)(angle)
    return joined(elementwise("mul", size, cosine), elementwise("mul", size, sine))


@complex_kernel("aten._to_copy")
def to_copy(op: Any, x: Tensor, **options: Any) -> Any:
    """A copy of another dtype: parts are rounded once; the imaginary part of a real number is 0."""
    dtype = options.get("dtype") or x.dtype
    if dtype == x.dtype:
        return op(x, **options)
    rest = {name: value for name, value in options.items() if name != "dtype"}
    return op(_as(op, x, dtype), **rest)


def _as(op: Any, x: Tensor, dtype: torch.dtype) -> Tensor:
    if dtype not in REAL | COMPLEX or not (dtype.is_complex or dtype.is_floating_point):
        raise not_exact(
            name_of(op), f"it is not defined from {x.dtype} to {dtype}".replace("torch.", "")
        )
    if not dtype.is_complex:
        return converted(torch.view_as_real(x.resolve_conj())[..., 0], dtype)
    return joined(*parts_of(x, dtype))


@complex_kernel("aten.copy_")
def copy_(op: Any, target: Tensor, source: Tensor, non_blocking: bool = False) -> Any:
    """Writes one tensor into another, rounding parts once where the dtype changes."""
    if target.dtype != source.dtype:
        source = _as(op, source, target.dtype)
    return op(target, source, non_blocking)
