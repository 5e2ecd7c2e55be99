"""Arithmetic and functions element by element, with their in-place and out= forms."""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic.kernels import NUMBERS, native_elementwise
from samebits.arithmetic.operations.arguments import (
    broadcast_shape,
    require_plain,
    result_dtype,
    to_common,
    torch_decides,
)
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of

Numbers = tuple[float, ...]


def compute(
    operation: Any,
    name: str,
    tensors: tuple[Any, ...],
    scalars: Numbers,
    out: torch.Tensor | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any] | None = None,
) -> Any:
    """Run an element-wise kernel, and where it declines find out why and do what torch would.

    Args:
        operation: The overload that was called.
        name: The kernel's.
        tensors: Its operands.
        scalars: Its numbers.
        out: Where the result goes, or None.
        args: The overload's own arguments, for torch to check.
        kwargs: Those with names.
    """
    result = native_elementwise(NUMBERS[name], out, tensors, scalars)
    if result is not NotImplemented:
        return result
    require_plain(operation, [*tensors, *([] if out is None else [out])])
    if out is not None and out is args[0]:
        shape = list(broadcast_shape(*tensors))
        if list(out.shape) != shape:  # in place nothing is resized; torch's `pow_` for meta would
            raise RuntimeError(
                f"output with shape {list(out.shape)} doesn't match the broadcast shape {shape}"
            )
    torch_decides(operation, args, kwargs or {})
    dtype = result_dtype(tensors, floating=True)
    if not dtype.is_floating_point:
        raise not_exact(name_of(operation), "it is not defined for whole numbers")
    if out is not None and out.shape != broadcast_shape(*tensors):
        out.resize_(broadcast_shape(*tensors))
    result = native_elementwise(NUMBERS[name], out, to_common(tensors, dtype), scalars)
    if result is NotImplemented:
        raise not_exact(name_of(operation), f"there is no kernel for {dtype}".replace("torch.", ""))
    return result


def _unary(aten: str, name: str) -> None:
    number = NUMBERS[name]
    whole_stays = aten in WHOLE_STAYS

    def function(op: Any, x: torch.Tensor) -> Any:
        result = native_elementwise(number, None, (x,), ())
        if result is NotImplemented:
            if whole_stays and not x.is_floating_point():
                return op(x)
            return compute(op, name, (x,), (), None, (x,))
        return result

    def in_place(op: Any, x: torch.Tensor) -> Any:
        result = native_elementwise(number, x, (x,), ())
        if result is NotImplemented:
            if whole_stays and not x.is_floating_point():
                return op(x)
            return compute(op, name, (x,), (), x, (x,))
        return result

    def into(op: Any, x: torch.Tensor, *, out: torch.Tensor) -> Any:
        if whole_stays and not x.is_floating_point() and not out.is_floating_point():
            return op(x, out=out)
        return compute(op, name, (x,), (), out, (x,), {"out": out})

    kernel(f"aten.{aten}", operation=True)(function)
    kernel(f"aten.{aten}_", operation=True)(in_place)
    kernel(f"aten.{aten}.out", operation=True)(into)


UNARY = {
    name: name
    for name in [
        "neg",
        "abs",
        "sqrt",
        "rsqrt",
        "reciprocal",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tanh",
        "erf",
        "sigmoid",
        "relu",
        "square",
        "sign",
        "silu",
    ]
}
WHOLE_STAYS = frozenset({"neg", "abs", "sign", "sgn", "relu", "square"})
"""Functions that take whole numbers to whole numbers; torch's own answer is exact then."""

UNARY["sgn"] = "sign"

for _aten, _name in UNARY.items():
    if _aten not in ("relu", "square"):
        _unary(_aten, _name)


@kernel("aten.relu", operation=True)
def relu(op: Any, x: torch.Tensor) -> Any:
    """max(x, 0), +0 for −0."""
    if not x.is_floating_point():
        return op(x)
    return compute(op, "relu", (x,), (), None, (x,))


@kernel("aten.relu_", operation=True)
def relu_(op: Any, x: torch.Tensor) -> Any:
    """`relu` in place."""
    if not x.is_floating_point():
        return op(x)
    return compute(op, "relu", (x,), (), x, (x,))


def _is_number(value: Any) -> bool:
    return not isinstance(value, torch.Tensor)


def _whole(*operands: Any) -> bool:
    """Whether no operand is a floating or complex number, so that torch computes with integers."""
    return not any(
        o.is_floating_point() or o.is_complex()
        if isinstance(o, torch.Tensor)
        else isinstance(o, (float, complex))
        for o in operands
    )


class Binary:
    """An operation of two operands, each a tensor or a number, in its three forms.

    Args:
        tensors: The kernel for two tensors.
        right: The kernel for a tensor and a number.
        left: The kernel for a number and a tensor.
        whole: Whether torch gives whole numbers for whole numbers.
    """

    def __init__(self, tensors: str, right: str, left: str, *, whole: bool = True) -> None:
        self.tensors = tensors
        self.right = right
        self.left = left
        self.whole = whole
        self.number = NUMBERS[tensors]
        self.right_number = NUMBERS[right]

    def __call__(
        self, op: Any, x: Any, y: Any, out: torch.Tensor | None, kwargs: Any = None
    ) -> Any:
        """Compute for operands as they come; `kwargs` are what torch would be called with."""
        if isinstance(y, torch.Tensor):
            if isinstance(x, torch.Tensor):
                result = native_elementwise(self.number, out, (x, y), ())
                if result is not NotImplemented:
                    return result
        elif isinstance(y, (int, float)) and isinstance(x, torch.Tensor) and x.is_floating_point():
            result = native_elementwise(self.right_number, out, (x,), (y,))
            if result is not NotImplemented:
                return result
        return self.unusual(op, x, y, out, kwargs or {})

    def unusual(self, op: Any, x: Any, y: Any, out: torch.Tensor | None, kwargs: Any) -> Any:
        """Operands of several dtypes, whole numbers, and errors."""
        if self.whole and _whole(x, y):
            return op(x, y, **kwargs)
        operands = (x, y)
        tensors = [o for o in operands if isinstance(o, torch.Tensor)]
        require_plain(op, tensors)
        if any(isinstance(o, complex) for o in operands):
            raise not_exact(name_of(op), "there is no kernel for complex numbers")
        torch_decides(op, (x, y), kwargs)
        dtype = result_dtype(operands, floating=True)
        if _is_number(x) and len(tensors) == 1:
            (y,) = to_common((y,), dtype)
            return compute(op, self.left, (y,), (x,), out, (x, y), kwargs)
        if _is_number(y):
            (x,) = to_common((x,), dtype)
            return compute(op, self.right, (x,), (y,), out, (x, y), kwargs)
        x, y = to_common((x, y), dtype)
        if out is not None and out.numel() == 0:
            out.resize_(broadcast_shape(x, y))
        return compute(op, self.tensors, (x, y), (), out, (x, y), kwargs)


ADD = Binary("add", "add_scalar", "add_scalar")
SUB = Binary("sub", "add_scalar", "rsub_scalar")
MUL = Binary("mul", "mul_scalar", "mul_scalar")
DIV = Binary("div", "div_scalar", "rdiv_scalar", whole=False)
MAXIMUM = Binary("maximum", "add_scalar", "add_scalar")
MINIMUM = Binary("minimum", "add_scalar", "add_scalar")


def _scaled(op: Any, x: Any, y: Any, alpha: Any, out: torch.Tensor | None, kwargs: Any) -> Any:
    """X + alpha * y: the product rounded, then the sum."""
    if _whole(x, y, alpha):
        return op(x, y, alpha=alpha, **kwargs)
    dtype = result_dtype((x, y), floating=True)
    x, y = to_common((x, y), dtype)
    return compute(op, "add_scaled", (x, y), (float(alpha),), out, (x, y), kwargs)


@kernel("aten.add.Tensor", "aten.add.Scalar", operation=True)
def add(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    """Sum; with alpha its product with y is rounded first."""
    return ADD(op, x, y, None) if alpha == 1 else _scaled(op, x, y, alpha, None, {})


@kernel("aten.add_.Tensor", "aten.add_.Scalar", operation=True)
def add_(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    """`add` in place."""
    return ADD(op, x, y, x) if alpha == 1 else _scaled(op, x, y, alpha, x, {})


@kernel("aten.add.out", operation=True)
def add_out(op: Any, x: Any, y: Any, *, alpha: Any = 1, out: torch.Tensor) -> Any:
    """`add` into a tensor."""
    if alpha != 1:
        return _scaled(op, x, y, alpha, out, {"out": out})
    return ADD(op, x, y, out, {"out": out})


def _negative_number(y: Any) -> Any:
    return y if isinstance(y, torch.Tensor) else -y


@kernel("aten.sub.Tensor", "aten.sub.Scalar", operation=True)
def sub(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    """Difference."""
    return _sub(op, x, y, alpha, None, {})


@kernel("aten.sub_.Tensor", "aten.sub_.Scalar", operation=True)
def sub_(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    """`sub` in place."""
    return _sub(op, x, y, alpha, x, {})


@kernel("aten.sub.out", operation=True)
def sub_out(op: Any, x: Any, y: Any, *, alpha: Any = 1, out: torch.Tensor) -> Any:
    """`sub` into a tensor."""
    return _sub(op, x, y, alpha, out, {"out": out})


def _sub(op: Any, x: Any, y: Any, alpha: Any, out: torch.Tensor | None, kwargs: Any) -> Any:
    if alpha != 1:
        if _whole(x, y, alpha):
            return op(x, y, alpha=alpha, **kwargs)
        return _scaled(op, x, y, -alpha, out, kwargs)
    if isinstance(x, torch.Tensor) and _is_number(y) and x.is_floating_point():
        if isinstance(y, complex):
            raise not_exact(name_of(op), "there is no kernel for complex numbers")
        return compute(op, "add_scalar", (x,), (-y,), out, (x, y), kwargs)
    if _is_number(y) and not _whole(x, y):
        (x,) = to_common((x,), result_dtype((x, y), floating=True))
        return compute(op, "add_scalar", (x,), (-y,), out, (x, y), kwargs)
    return SUB(op, x, y, out, kwargs)


@kernel("aten.rsub.Scalar", "aten.rsub.Tensor", operation=True)
def rsub(op: Any, x: Any, y: Any, alpha: Any = 1) -> Any:
    """Y − alpha x."""
    if alpha != 1 or isinstance(y, torch.Tensor) or _whole(x, y):
        if _whole(x, y, alpha):
            return op(x, y, alpha)
        dtype = result_dtype((x, y), floating=True)
        x, y = to_common((x, y), dtype)
        return compute(op, "add_scaled", (y, x), (-float(alpha),), None, (x, y))
    (x,) = to_common((x,), result_dtype((x, y), floating=True))
    return compute(op, "rsub_scalar", (x,), (y,), None, (x, y))


@kernel("aten.mul.Tensor", "aten.mul.Scalar", operation=True)
def mul(op: Any, x: Any, y: Any) -> Any:
    """Product."""
    return MUL(op, x, y, None)


@kernel("aten.mul_.Tensor", "aten.mul_.Scalar", operation=True)
def mul_(op: Any, x: Any, y: Any) -> Any:
    """`mul` in place."""
    return MUL(op, x, y, x)


@kernel("aten.mul.out", operation=True)
def mul_out(op: Any, x: Any, y: Any, *, out: torch.Tensor) -> Any:
    """`mul` into a tensor."""
    return MUL(op, x, y, out, {"out": out})


@kernel("aten.div.Tensor", "aten.div.Scalar", operation=True)
def div(op: Any, x: Any, y: Any) -> Any:
    """Quotient."""
    return DIV(op, x, y, None)


@kernel("aten.div_.Tensor", "aten.div_.Scalar", operation=True)
def div_(op: Any, x: Any, y: Any) -> Any:
    """`div` in place."""
    return DIV(op, x, y, x)


@kernel("aten.div.out", operation=True)
def div_out(op: Any, x: Any, y: Any, *, out: torch.Tensor) -> Any:
    """`div` into a tensor."""
    return DIV(op, x, y, out, {"out": out})


def _extreme(op: Any, name: str, x: Any, y: Any, out: torch.Tensor | None, kwargs: Any) -> Any:
    if _whole(x, y):
        return op(x, y, **kwargs)
    x, y = to_common((x, y), result_dtype((x, y)))
    return compute(op, name, (x, y), (), out, (x, y), kwargs)


@kernel("aten.maximum", operation=True)
def maximum(op: Any, x: Any, y: Any) -> Any:
    """The larger one; NaN where either is; +0 over −0."""
    return _extreme(op, "maximum", x, y, None, {})


@kernel("aten.minimum", operation=True)
def minimum(op: Any, x: Any, y: Any) -> Any:
    """The smaller one; NaN where either is; −0 under +0."""
    return _extreme(op, "minimum", x, y, None, {})


@kernel("aten.maximum.out", operation=True)
def maximum_out(op: Any, x: Any, y: Any, *, out: torch.Tensor) -> Any:
    """`maximum` into a tensor."""
    return _extreme(op, "maximum", x, y, out, {"out": out})


@kernel("aten.minimum.out", operation=True)
def minimum_out(op: Any, x: Any, y: Any, *, out: torch.Tensor) -> Any:
    """`minimum` into a tensor."""
    return _extreme(op, "minimum", x, y, out, {"out": out})


@kernel("aten.xlogy.Tensor", operation=True)
def xlogy(op: Any, x: Any, y: Any) -> Any:
    """X log(y), and 0 where x is 0 and y is not NaN."""
    dtype = result_dtype((x, y), floating=True)
    x, y = to_common((x, y), dtype)
    product = compute(op, "mul", (x, compute(op, "log", (y,), (), None, (y,))), (), None, (x, y))
    return product.masked_fill((x == 0) & ~torch.isnan(y), 0.0)
