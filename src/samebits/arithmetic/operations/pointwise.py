"""Arithmetic, bounds and powers element by element (docs/arithmetic.md, "Element by element").

Tensors broadcast against each other, and the result has the shape to which they do. Its dtype is
torch's for these operands; float32 computes for the halves.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any

import torch

from samebits.arithmetic.forms import own_arguments, torchs_own
from samebits.arithmetic.kernels import NUMBERS, is_float, native_elementwise
from samebits.arithmetic.operations.arguments import (
    broadcast_shape,
    require_plain,
    result_dtype,
    to_common,
    torch_decides,
)
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of
from samebits.arithmetic.shortcuts import BINARY

Out = torch.Tensor | None


def compute(
    op: Any,
    name: str,
    tensors: tuple[Any, ...],
    scalars: tuple[float, ...],
    out: Out,
    args: tuple[Any, ...],
    named: dict[str, Any] | None = None,
) -> Any:
    """Run an element-wise kernel, and where it declines find out why and do what torch would.

    Args:
        op: The overload that was called.
        name: The kernel's.
        tensors: Its operands.
        scalars: Its numbers.
        out: Where the result goes, or None.
        args: The overload's own arguments, for torch to check.
        named: Those with names, without `out`.
    """
    result = native_elementwise(NUMBERS[name], out, tensors, scalars)
    if result is not NotImplemented:
        return result
    require_plain(op, [*tensors, *([] if out is None else [out])])
    if out is not None and out is args[0]:
        shape = list(broadcast_shape(*tensors))
        if list(out.shape) != shape:  # in place nothing is resized; torch's `pow_` for meta would
            raise RuntimeError(
                f"output with shape {list(out.shape)} doesn't match the broadcast shape {shape}"
            )
    torch_decides(op, args, own_arguments(op, out, named or {}))
    dtype = result_dtype(tensors, floating=True)
    if not dtype.is_floating_point or (out is not None and not is_float(out)):
        raise not_exact(name_of(op), "it is not defined for whole numbers")
    if out is not None and out.shape != broadcast_shape(*tensors):
        out.resize_(broadcast_shape(*tensors))
    result = native_elementwise(NUMBERS[name], out, to_common(tensors, dtype), scalars)
    if result is NotImplemented:
        raise not_exact(name_of(op), f"there is no kernel for {dtype}".replace("torch.", ""))
    return result


def _is_number(value: Any) -> bool:
    return not isinstance(value, torch.Tensor)


def _whole(*operands: Any) -> bool:
    """Whether no operand is a floating or complex number, so that torch computes with integers."""
    return not any(is_float(o) or isinstance(o, (float, complex)) for o in operands)


@dataclass(frozen=True)
class Binary:
    """The kernels of an operation of two operands, each of which is a tensor or a number.

    Attributes:
        tensors: For two tensors.
        right: For a tensor and a number.
        left: For a number and a tensor.
        sign: What the number of `right` and the second operand's factor are multiplied by.
        whole: Whether torch gives whole numbers for whole numbers.
    """

    tensors: str
    right: str
    left: str
    sign: int = 1
    whole: bool = True


def _binary(own: Binary, op: Any, out: Out, x: Any, y: Any, alpha: Any = 1) -> Any:
    """Compute for operands as they come; with `alpha` its product with y is rounded first."""
    if alpha != 1:
        return _scaled(own, op, out, x, y, alpha)
    if isinstance(y, torch.Tensor):
        if isinstance(x, torch.Tensor):
            result = native_elementwise(NUMBERS[own.tensors], out, (x, y), ())
            if result is not NotImplemented:
                return result
    elif isinstance(y, (int, float)) and isinstance(x, torch.Tensor) and x.is_floating_point():
        result = native_elementwise(NUMBERS[own.right], out, (x,), (own.sign * y,))
        if result is not NotImplemented:
            return result
    return _unusual(own, op, out, x, y)


def _unusual(own: Binary, op: Any, out: Out, x: Any, y: Any) -> Any:
    """Operands of several dtypes, whole numbers, and errors."""
    if own.whole and _whole(x, y):
        return torchs_own(op, out, (x, y), {})
    operands = args = (x, y)
    tensors = [o for o in operands if isinstance(o, torch.Tensor)]
    require_plain(op, tensors)
    if any(isinstance(o, complex) for o in operands):
        raise not_exact(name_of(op), "there is no kernel for complex numbers")
    torch_decides(op, args, own_arguments(op, out, {}))
    dtype = result_dtype(operands, floating=True)
    if _is_number(x) and len(tensors) == 1:
        (y,) = to_common((y,), dtype)
        return compute(op, own.left, (y,), (x,), out, args)
    if _is_number(y):
        (x,) = to_common((x,), dtype)
        return compute(op, own.right, (x,), (own.sign * y,), out, args)
    x, y = to_common((x, y), dtype)
    if out is not None and out.numel() == 0:
        out.resize_(broadcast_shape(x, y))
    return compute(op, own.tensors, (x, y), (), out, args)


def _scaled(own: Binary, op: Any, out: Out, x: Any, y: Any, alpha: Any) -> Any:
    if _whole(x, y, alpha):
        return torchs_own(op, out, (x, y), {"alpha": alpha})
    x, y = to_common((x, y), result_dtype((x, y), floating=True))
    return compute(op, "add_scaled", (x, y), (own.sign * float(alpha),), out, (x, y))


for _name, _row in {
    "add": Binary("add", "add_scalar", "add_scalar"),
    "sub": Binary("sub", "add_scalar", "rsub_scalar", sign=-1),
    "mul": Binary("mul", "mul_scalar", "mul_scalar"),
    "div": Binary("div", "div_scalar", "rdiv_scalar", whole=False),
}.items():
    _function = functools.partial(_binary, _row)
    _shortcut = (BINARY, NUMBERS[_row.tensors], NUMBERS[_row.right], _row.sign < 0)
    kernel(f"aten.{_name}.Tensor", writes=True, shortcut=_shortcut)(_function)
    kernel(f"aten.{_name}.Scalar", writes=True)(_function)


@kernel("aten.rsub.Scalar", "aten.rsub.Tensor", writes=True)
def rsub(op: Any, out: Out, x: Any, y: Any, alpha: Any = 1) -> Any:
    """Y − alpha x."""
    if _whole(x, y, alpha):
        return torchs_own(op, out, (x, y), {"alpha": alpha})
    dtype = result_dtype((x, y), floating=True)
    if alpha != 1 or isinstance(y, torch.Tensor):
        x, y = to_common((x, y), dtype)
        return compute(op, "add_scaled", (y, x), (-float(alpha),), out, (x, y))
    (x,) = to_common((x,), dtype)
    return compute(op, "rsub_scalar", (x,), (y,), out, (x, y))


@kernel("aten.xlogy.Tensor")
def xlogy(op: Any, x: Any, y: Any) -> Any:
    """X log(y), and 0 where x is 0 and y is not NaN."""
    dtype = result_dtype((x, y), floating=True)
    x, y = to_common((x, y), dtype)
    product = compute(op, "mul", (x, compute(op, "log", (y,), (), None, (y,))), (), None, (x, y))
    return product.masked_fill((x == 0) & ~torch.isnan(y), 0.0)


@kernel("aten.clamp", writes=True)
def clamp(op: Any, out: Out, x: torch.Tensor, low: Any = None, high: Any = None) -> Any:
    """X held between bounds, either of which may be missing."""
    if not x.is_floating_point():
        return torchs_own(op, out, (x, low, high), {})
    _demand_a_bound(low, high)
    scalars = (-math.inf if low is None else float(low), math.inf if high is None else float(high))
    return compute(op, "clamp", (x,), scalars, out, (x, low, high))


@kernel("aten.clamp_min", "aten.clamp_max", writes=True)
def clamp_one(op: Any, out: Out, x: torch.Tensor, bound: Any) -> Any:
    """X held on one side of a bound."""
    if not x.is_floating_point():
        return torchs_own(op, out, (x, bound), {})
    highest = "max" in name_of(op)
    scalars = (-math.inf, float(bound)) if highest else (float(bound), math.inf)
    return compute(op, "clamp", (x,), scalars, out, (x, bound))


@kernel("aten.clamp.Tensor")
def clamp_tensor(op: Any, x: torch.Tensor, low: Any = None, high: Any = None) -> Any:
    """X held between tensors: the larger of x and the lower one, then the smaller one."""
    if not x.is_floating_point():
        return op(x, low, high)
    _demand_a_bound(low, high)
    result = x
    for name, bound in (("maximum", low), ("minimum", high)):
        if bound is not None:
            common = to_common((result, bound), result_dtype((result, bound)))
            result = compute(op, name, common, (), None, (x, low, high))
    return result


@kernel("aten.clamp_min.Tensor", "aten.clamp_max.Tensor")
def clamp_one_tensor(op: Any, x: torch.Tensor, bound: Any) -> Any:
    """X held on one side of a tensor."""
    if not x.is_floating_point():
        return op(x, bound)
    common = to_common((x, bound), result_dtype((x, bound)))
    name = "minimum" if "max" in name_of(op) else "maximum"
    return compute(op, name, common, (), None, (x, bound))


def _demand_a_bound(low: Any, high: Any) -> None:
    if low is None and high is None:
        raise RuntimeError("clamp wants a lower bound, an upper one, or both")


_CHAINS = {
    1.0: "copy", 2.0: "square", 3.0: "cube", 4.0: "fourth",
    0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal",
}  # fmt: skip
"""Powers that a kernel of their own computes: in binary32 correctly rounded like all others."""
_CHAINS_OF_FLOAT64 = {exponent: _CHAINS[exponent] for exponent in (1.0, 2.0, 0.5, -0.5, -1.0)}
"""Those that are a single operation, and the root's reciprocal."""


@kernel("aten.pow.Tensor_Scalar", writes=True)
def power(op: Any, out: Out, x: torch.Tensor, exponent: Any) -> Any:
    """X to the power of a number."""
    args = (x, exponent)
    if not is_float(x) and isinstance(exponent, int):
        return torchs_own(op, out, args, {})
    require_plain(op, [x] if out is None else [x, out])
    (wide,) = to_common((x,), result_dtype(args, floating=True))
    if exponent == 0:
        return compute(op, "copy", (torch.ones_like(wide),), (), out, args)
    chains = _CHAINS_OF_FLOAT64 if wide.dtype == torch.float64 else _CHAINS
    name = chains.get(float(exponent))
    if name is not None:
        return compute(op, name, (wide,), (), out, args)
    return compute(op, "pow_scalar", (wide,), (float(exponent),), out, args)


@kernel("aten.pow.Tensor_Tensor", writes=True)
def power_of_each(op: Any, out: Out, x: torch.Tensor, exponent: torch.Tensor) -> Any:
    """Each element to the power of another."""
    if not is_float(x) and not is_float(exponent):
        return torchs_own(op, out, (x, exponent), {})
    return compute(op, "pow", (x, exponent), (), out, (x, exponent))


@kernel("aten.pow.Scalar", writes=True)
def power_of_number(op: Any, out: Out, x: Any, exponent: torch.Tensor) -> Any:
    """A number to the power of each element."""
    if not is_float(exponent) and isinstance(x, int):
        return torchs_own(op, out, (x, exponent), {})
    require_plain(op, [exponent])
    (wide,) = to_common((exponent,), result_dtype((exponent, x), floating=True))
    return compute(op, "rpow_scalar", (wide,), (float(x),), out, (x, exponent))
