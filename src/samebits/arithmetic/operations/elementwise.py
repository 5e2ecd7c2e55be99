"""Operations of one native kernel each, as rows (docs/arithmetic.md, "Element by element").

Tensors broadcast against each other, and the result has the shape to which they do. A kernel reads
tensors of one floating dtype; others are converted to torch's dtype for them, with one rounding
each.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import torch

from samebits.arithmetic.forms import functional_form, torchs_own, write
from samebits.arithmetic.kernels import NUMBERS, native_elementwise
from samebits.arithmetic.operations.pointwise import compute
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import Handler, kernel, name_of
from samebits.arithmetic.shortcuts import BINARY, UNARY, Shortcut


@dataclass(frozen=True)
class ElementwiseRow:
    """An operation and the kernel that computes it.

    Attributes:
        operation: Its functional overload.
        kernel: The name in `native/exact/operations.hpp`.
        tensors: Names, in torch's schema, of the arguments that the kernel reads.
        numbers: Names of its scalar arguments, in the kernel's order.
        whole: Whether torch's own results for whole numbers are exact.
        direct: Whether an `out` of another dtype gets the result without a rounding to its own.
    """

    operation: str
    kernel: str
    tensors: str = "self"
    numbers: str = ""
    whole: bool = False
    direct: bool = False

    @property
    def shortcut(self) -> Shortcut | None:
        """The dispatcher's way for a row of tensors alone, of which there are one or two."""
        kind = {1: UNARY, 2: BINARY}.get(len(self.tensors.split()))
        if kind is None or self.numbers:
            return None
        return kind, NUMBERS[self.kernel], -1, False


def _bind(row: ElementwiseRow, op: Any, target: Any) -> Handler:
    """The handler of one overload: where its arguments stand is looked up once.

    Args:
        row: The row.
        op: The overload.
        target: The argument to which it writes, in torch's schema, or None.
    """
    number = NUMBERS[row.kernel]
    schema = {a.name: (place, a) for place, a in enumerate(op._schema.arguments)}
    places = [schema[name][0] for name in row.tensors.split()]
    numbers = [schema[name] for name in row.numbers.split()]
    defaults = tuple(a.default_value for _, a in schema.values())
    count, end = len(places), len(places) + len(numbers)
    by_name = [(a.name, a.default_value) for _, a in numbers if a.kwarg_only]
    together = not by_name and places + [place for place, _ in numbers] == list(range(end))
    in_place = target is not None and not target.kwarg_only
    into = target.name if target is not None and target.kwarg_only else None
    rounds = into is not None and not row.direct

    def run(*args: Any, **named: Any) -> Any:
        out: torch.Tensor | None = args[0] if in_place else named.pop(into) if into else None
        if together:
            # torch leaves out arguments that have their default values, from behind.
            given = args if len(args) >= end else args + defaults[len(args) :]
            tensors, scalars = given[:count], given[count:end]
        elif by_name:
            tensors = args[:count]
            scalars = tuple([named.get(name, value) for name, value in by_name])
        else:
            tensors = tuple([args[place] for place in places])
            scalars = tuple([args[place] for place, _ in numbers])
        if out is not None and rounds and out.dtype != tensors[0].dtype:
            return write(op, out, _bind(row, functional_form(op), None)(*args, **named))
        result = native_elementwise(number, out, tensors, scalars)
        if result is not NotImplemented:
            return result
        if row.whole and not any(t.is_floating_point() for t in (*tensors, out) if t is not None):
            return torchs_own(op, out, args, named)
        return compute(op, row.kernel, tensors, scalars, out, args, named)

    return run


_GRAD = "grad_output self"

ROWS = (
    *(
        ElementwiseRow(f"aten.{name}", name, direct=True)
        for name in (
            "sqrt", "rsqrt", "reciprocal", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p",
            "sin", "cos", "asin", "acos", "atan", "tanh", "erf", "erfc", "sigmoid", "silu",
        )
    ),
    *(
        ElementwiseRow(f"aten.{name}", name, whole=True, direct=True)
        for name in ("neg", "abs", "sign", "relu")
    ),
    ElementwiseRow("aten.sgn", "sign", whole=True, direct=True),
    ElementwiseRow("aten.atan2", "atan2", "self other"),
    ElementwiseRow("aten.maximum", "maximum", "self other", whole=True),
    ElementwiseRow("aten.minimum", "minimum", "self other", whole=True),
    ElementwiseRow("aten.addcmul", "addcmul", "self tensor1 tensor2", "value", whole=True),
    ElementwiseRow("aten.addcdiv", "addcdiv", "self tensor1 tensor2", "value"),
    ElementwiseRow("aten.lerp.Scalar", "lerp_scalar", "self end", "weight"),
    ElementwiseRow("aten.lerp.Tensor", "lerp", "self end weight"),
    ElementwiseRow("aten.softplus", "softplus", numbers="beta threshold"),
    ElementwiseRow("aten.elu", "elu", numbers="alpha scale input_scale"),
    ElementwiseRow("aten.leaky_relu", "leaky_relu", numbers="negative_slope"),
    ElementwiseRow("aten.hardtanh", "hardtanh", numbers="min_val max_val", whole=True),
    ElementwiseRow("aten.threshold_backward", "threshold_backward", _GRAD, "threshold", whole=True),
    ElementwiseRow("aten.tanh_backward", "tanh_backward", "grad_output output"),
    ElementwiseRow("aten.sigmoid_backward", "sigmoid_backward", "grad_output output"),
    ElementwiseRow("aten.silu_backward", "silu_backward", _GRAD),
    ElementwiseRow("aten.log_sigmoid_backward", "log_sigmoid_backward", _GRAD),
    ElementwiseRow("aten.softplus_backward", "softplus_backward", _GRAD, "beta threshold"),
    ElementwiseRow(
        "aten.elu_backward", "elu_backward", "grad_output self_or_result",
        "alpha scale input_scale is_result",
    ),
    ElementwiseRow("aten.leaky_relu_backward", "leaky_relu_backward", _GRAD, "negative_slope"),
    ElementwiseRow("aten.hardtanh_backward", "hardtanh_backward", _GRAD, "min_val max_val"),
)  # fmt: skip

for _row in ROWS:
    kernel(_row.operation, binds=True, shortcut=_row.shortcut)(functools.partial(_bind, _row))


_GELU = {"none": ("gelu", "gelu_backward"), "tanh": ("gelu_tanh", "gelu_tanh_backward")}


def _gelu_kernel(op: Any, approximate: str, place: int) -> str:
    if approximate not in _GELU:
        raise not_exact(name_of(op), f"approximate={approximate!r} is unknown")
    return _GELU[approximate][place]


@kernel("aten.gelu")
def gelu(op: Any, x: torch.Tensor, *, approximate: str = "none") -> Any:
    """X Φ(x), or its form with tanh."""
    return compute(op, _gelu_kernel(op, approximate, 0), (x,), (), None, (x,))


@kernel("aten.gelu_backward")
def gelu_backward(op: Any, grad: Any, x: Any, *, approximate: str = "none") -> Any:
    """Derivative of `gelu`."""
    return compute(op, _gelu_kernel(op, approximate, 1), (grad, x), (), None, (grad, x))


@kernel("aten.log_sigmoid_forward")
def log_sigmoid_forward(op: Any, x: torch.Tensor) -> Any:
    """log(sigmoid(x)), and torch's buffer, which nothing here needs."""
    return compute(op, "log_sigmoid", (x,), (), None, (x,)), torch.empty(0, dtype=x.dtype)
