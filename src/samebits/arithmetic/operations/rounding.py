"""Rounding to whole numbers, and taking numbers apart (docs/arithmetic.md, "Element by element").

Results have the shape of what they are of.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic.kernels import FLOATING, converted, elementwise, widened
from samebits.arithmetic.registry import kernel


def one_nan(x: torch.Tensor) -> torch.Tensor:
    """The same values with one NaN: x × 1."""
    return elementwise("mul_scalar", x, scalars=(1.0,))


@kernel("aten.floor", "aten.ceil", "aten.trunc", "aten.round")
def whole(op: Any, x: torch.Tensor) -> Any:
    """The next whole number below, above, toward 0; the nearest, of two the even one."""
    if x.dtype not in FLOATING:
        return op(x)
    return converted(one_nan(op(widened(x))), x.dtype)


@kernel("aten.frexp.Tensor")
def frexp(op: Any, x: torch.Tensor) -> Any:
    """Mantissa and exponent; the exponent of what is not finite is 0."""
    if x.dtype not in FLOATING:
        return op(x)
    mantissa, exponent = op(widened(x))
    return converted(one_nan(mantissa), x.dtype), exponent.masked_fill(~x.isfinite(), 0)
