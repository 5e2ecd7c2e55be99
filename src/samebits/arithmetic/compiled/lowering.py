"""Nodes of a graph as the native operations that compute them, where they are plain enough.

What is decided here is what the block's own shortcuts and rows decide: operands of one floating
dtype, the same kernel, the same numbers. Everything else stays with the row's function.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from samebits.arithmetic.kernels import FLOATING, NUMBERS
from samebits.arithmetic.operations.elementwise import ElementwiseRow
from samebits.arithmetic.operations.pointwise import Binary
from samebits.arithmetic.registry import ENTRIES, name_of

PRODUCT, SUM, SOFTMAX, LOG_SOFTMAX, SOFTMAX_BACKWARD, LOG_SOFTMAX_BACKWARD = range(1, 7)
"""Kinds of native steps, as in `native/exact/program.hpp`; 0 is a chain."""

aten = torch.ops.aten


@dataclass(frozen=True)
class ElementKernel:
    """One element-wise kernel.

    Attributes:
        number: The kernel's.
        operands: Nodes of its tensors.
        scalars: Its numbers.
    """

    number: int
    operands: tuple[fx.Node, ...]
    scalars: tuple[float, ...]


@dataclass(frozen=True)
class TensorKernel:
    """One kernel over whole tensors.

    Attributes:
        kind: One of the kinds above.
        operands: Nodes of its tensors; None where there is none.
        numbers: What else it is told.
    """

    kind: int
    operands: tuple[fx.Node | None, ...]
    numbers: tuple[int, ...] = ()


Native = ElementKernel | TensorKernel


def lowered(node: fx.Node) -> Native | None:
    """The native operation of a node; None where the function of its row is to decide."""
    op = node.target
    made: Any = node.meta.get("val")
    if not isinstance(op, torch._ops.OpOverload) or not _static(made) or made.numel() == 0:
        return None
    arguments = _arguments(op, node)
    if arguments is None:
        return None
    native = _elements(op, arguments) or _whole(op, arguments, made)
    if isinstance(native, ElementKernel) and not _of_one_dtype(native, made):
        return None
    return native


def _static(value: Any) -> bool:
    """Whether a traced value is a plain tensor whose shape and strides are numbers."""
    if not isinstance(value, torch.Tensor) or value.layout != torch.strided:
        return False
    if value.device.type != "cpu" or value.dtype not in FLOATING or value.ndim > 8:
        return False
    return all(type(n) is int for n in (*value.size(), *value.stride(), value.storage_offset()))


def is_plain(node: Any) -> bool:
    """Whether a node's value is a floating tensor that programs can read."""
    return isinstance(node, fx.Node) and _static(node.meta.get("val"))


def _arguments(op: Any, node: fx.Node) -> dict[str, Any] | None:
    """A node's arguments by name, those that were left out included."""
    found = {a.name: a.default_value for a in op._schema.arguments if a.has_default_value()}
    found.update(zip((a.name for a in op._schema.arguments), node.args, strict=False))
    found.update(node.kwargs)
    return found if len(found) == len(op._schema.arguments) else None


def _row(op: Any) -> Any:
    """The row of an element-wise operation as `elementwise` and `pointwise` have entered it."""
    entry = ENTRIES.get(name_of(op))
    function = entry.function if entry is not None else None
    given = function.args if isinstance(function, functools.partial) else ()
    return given[0] if given and isinstance(given[0], (ElementwiseRow, Binary)) else None


def _elements(op: Any, given: dict[str, Any]) -> ElementKernel | None:
    row = _row(op)
    if isinstance(row, ElementwiseRow):
        operands = tuple(given[name] for name in row.tensors.split())
        scalars = tuple(given[name] for name in row.numbers.split())
        if not all(is_plain(one) for one in operands) or not all(map(_is_number, scalars)):
            return None
        return ElementKernel(NUMBERS[row.kernel], operands, tuple(map(float, scalars)))
    if isinstance(row, Binary):
        return _binary(row, given["self"], given["other"], given.get("alpha", 1))
    if op is aten.gelu.default and is_plain(given["self"]):
        kernel = {"none": "gelu", "tanh": "gelu_tanh"}.get(given["approximate"])
        return None if kernel is None else ElementKernel(NUMBERS[kernel], (given["self"],), ())
    if op is aten.gelu_backward.default:
        kernel = {"none": "gelu_backward", "tanh": "gelu_tanh_backward"}.get(given["approximate"])
        operands = (given["grad_output"], given["self"])
        if kernel is not None and all(is_plain(one) for one in operands):
            return ElementKernel(NUMBERS[kernel], operands, ())
    return None


def _binary(row: Binary, x: Any, y: Any, alpha: Any) -> ElementKernel | None:
    if not is_plain(x) or not _is_number(alpha):
        return None
    if is_plain(y):
        if alpha == 1:
            return ElementKernel(NUMBERS[row.tensors], (x, y), ())
        return ElementKernel(NUMBERS["add_scaled"], (x, y), (row.sign * float(alpha),))
    if _is_number(y) and alpha == 1:
        return ElementKernel(NUMBERS[row.right], (x,), (float(row.sign * y),))
    return None


def _is_number(value: Any) -> bool:
    return type(value) is float or (type(value) in (int, bool) and abs(value) < 2**53)


def _of_one_dtype(native: ElementKernel, made: torch.Tensor) -> bool:
    """Whether all operands have the result's dtype."""
    return all(one.meta["val"].dtype == made.dtype for one in native.operands)


def _whole(op: Any, given: dict[str, Any], made: torch.Tensor) -> TensorKernel | None:
    if made.dtype not in (torch.float32, torch.float64):
        return None
    if op in (aten.mm.default, aten.bmm.default):
        return _product(made, given["self"], given["mat2"], None)
    if op in (aten.addmm.default, aten.baddbmm.default):
        factors = ("mat1", "mat2") if op is aten.addmm.default else ("batch1", "batch2")
        if given["alpha"] == 1 and given["beta"] == 1 and is_plain(given["self"]):
            return _product(made, given[factors[0]], given[factors[1]], given["self"])
    if op is aten.sum.dim_IntList and given["dtype"] is None:
        return _sum(made, given["self"], given["dim"])
    if op is aten.sum.default and given["dtype"] is None:
        return _sum(made, given["self"], ())
    return _rows(op, given, made) if made.dtype == torch.float32 else None


def _product(made: Any, a: Any, b: Any, add: Any) -> TensorKernel | None:
    operands = [one for one in (a, b, add) if one is not None]
    if not all(is_plain(one) and one.meta["val"].dtype == made.dtype for one in operands):
        return None
    if not made.is_contiguous() or any(one.meta["val"].numel() == 0 for one in operands):
        return None
    return TensorKernel(PRODUCT, (a, b, add))


def _sum(made: Any, x: Any, dims: Any) -> TensorKernel | None:
    """Over axes next to each other of a row-major tensor, as the dispatcher's shortcut."""
    if not is_plain(x) or x.meta["val"].dtype != made.dtype or not made.is_contiguous():
        return None
    value = x.meta["val"]
    axes = sorted(d % value.ndim for d in dims or ()) if value.ndim else []
    axes = axes or list(range(value.ndim))
    adjacent = axes == list(range(axes[0], axes[-1] + 1)) if axes else False
    if not adjacent or not value.is_contiguous() or value.numel() == 0:
        return None
    sizes = list(value.size())
    parts = (sizes[: axes[0]], sizes[axes[0] : axes[-1] + 1], sizes[axes[-1] + 1 :])
    return TensorKernel(SUM, (x,), tuple(_count(part) for part in parts))


def _count(sizes: Sequence[int]) -> int:
    count = 1
    for size in sizes:
        count *= size
    return count


_ROWS = {
    aten._softmax.default: (SOFTMAX, ("self",)),
    aten._log_softmax.default: (LOG_SOFTMAX, ("self",)),
    aten._softmax_backward_data.default: (SOFTMAX_BACKWARD, ("grad_output", "output")),
    aten._log_softmax_backward_data.default: (LOG_SOFTMAX_BACKWARD, ("grad_output", "output")),
}


def _rows(op: Any, given: dict[str, Any], made: Any) -> TensorKernel | None:
    kind, names = _ROWS.get(op, (None, ()))
    operands = tuple(given[name] for name in names)
    if kind is None or made.ndim == 0 or given["dim"] not in (-1, made.ndim - 1):
        return None
    if given.get("half_to_float") or given.get("input_dtype", made.dtype) != made.dtype:
        return None
    for one in operands:
        if not is_plain(one) or one.meta["val"].dtype != made.dtype:
            return None
        if not one.meta["val"].is_contiguous():
            return None
    return TensorKernel(kind, operands) if made.is_contiguous() else None
