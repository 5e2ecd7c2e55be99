"""Softmax over rows of float64, of whole operations.

The last axis is the row. Each function writes to `out`, as the native kernels of float32 do.
"""

from __future__ import annotations

import torch
from torch import Tensor

from samebits.arithmetic.kernels import elementwise
from samebits.arithmetic.operations.reductions import sum_over


def _total(x: Tensor) -> Tensor:
    return sum_over(x, [x.ndim - 1], keepdim=True)


def _shifted(x: Tensor) -> Tensor:
    return elementwise("sub", x, torch.amax(x, -1, keepdim=True))


def softmax(out: Tensor, x: Tensor) -> None:
    """exp(x − max) divided by its sum."""
    terms = elementwise("exp", _shifted(x))
    elementwise("div", terms, _total(terms), out=out)


def log_softmax(out: Tensor, x: Tensor) -> None:
    """(x − max) − log(sum of exp(x − max))."""
    shifted = _shifted(x)
    total = _total(elementwise("exp", shifted))
    elementwise("sub", shifted, elementwise("log", total), out=out)


def softmax_backward(out: Tensor, grad: Tensor, y: Tensor) -> None:
    """Y (grad − sum of grad y)."""
    total = _total(elementwise("mul", grad, y))
    elementwise("mul", y, elementwise("sub", grad, total), out=out)


def log_softmax_backward(out: Tensor, grad: Tensor, y: Tensor) -> None:
    """Grad − exp(y) times the sum of grad."""
    product = elementwise("mul", elementwise("exp", y), _total(grad))
    elementwise("sub", grad, product, out=out)
