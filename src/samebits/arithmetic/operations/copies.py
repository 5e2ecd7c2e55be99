"""Copies that round, and sequences of numbers (docs/arithmetic.md, "Numbers").

Copies have the shape of what is copied, or that of their target, to which it broadcasts; sequences
have one axis.
"""

from __future__ import annotations

from typing import Any

import torch

from samebits.arithmetic import _exact
from samebits.arithmetic.kernels import FLOATING, converted, elementwise
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import kernel, name_of


@kernel("aten._to_copy")
def to_copy(op: Any, x: torch.Tensor, **options: Any) -> Any:
    """A copy of another dtype, device or layout; rounded once."""
    dtype = options.get("dtype") or x.dtype
    if dtype == x.dtype or x.device.type != "cpu":
        return op(x, **options)
    if dtype == torch.int64 and len(options) == 1:  # as `long` asks for it
        whole = _exact.whole_numbers(x)
        if whole is not None:
            return whole
    _require_convertible(op, x, dtype)
    whole_as_half = dtype == torch.bfloat16 and not x.is_complex()
    if whole_as_half or (x.dtype in FLOATING and dtype in FLOATING):
        moved = converted(x, dtype)
        options = {**options, "dtype": dtype}
        rest = {k: v for k, v in options.items() if k in ("device", "memory_format", "layout")}
        return op(moved, **rest) if any(v is not None for v in rest.values()) else moved
    return op(x, **options)


def _require_convertible(op: Any, x: torch.Tensor, dtype: torch.dtype) -> None:
    """Refuse what processors convert differently: numbers beyond the range of whole numbers."""
    if x.dtype in FLOATING and not dtype.is_floating_point and not dtype.is_complex:
        if dtype == torch.bool:
            return
        if not x.numel():
            return
        limits = torch.iinfo(dtype)
        low, high = (float(end) for end in torch.aminmax(x))
        # The bounds as floats may lie one step outside: compare against the power of two above.
        # A NaN among the values is both ends, and fits nowhere.
        if not (low > float(limits.min) - 1 and high < float(limits.max) + 1):
            raise not_exact(
                name_of(op),
                f"a value does not fit into {dtype}, and processors differ there".replace(
                    "torch.", ""
                ),
                way_out="Clamp the values, or replace NaN, before the conversion.",
            )


@kernel("aten.copy_")
def copy_(op: Any, target: torch.Tensor, source: torch.Tensor, non_blocking: bool = False) -> Any:
    """Writes one tensor into another, rounding once where the dtype changes."""
    cpu = target.device.type == "cpu" and source.device.type == "cpu"
    if target.dtype == source.dtype or not cpu:
        return op(target, source, non_blocking)
    source = source.resolve_neg()
    if source.dtype in FLOATING and target.dtype in FLOATING:
        return op(target, converted(source, target.dtype))
    _require_convertible(op, source, target.dtype)
    if target.dtype == torch.bfloat16 and not source.is_complex():
        source = converted(source, target.dtype)
    return op(target, source, non_blocking)


@kernel("aten.arange", "aten.arange.start", "aten.arange.start_step")
def arange(op: Any, *args: Any, **options: Any) -> Any:
    """Whole numbers as torch makes them; others as start + i step, each operation rounded once."""
    result = op(*args, **options)
    if not result.is_floating_point():
        return result
    start, step = (args[0] if len(args) > 1 else 0), (args[2] if len(args) > 2 else 1)
    places = converted(torch.arange(result.numel()), torch.float64)
    scaled = elementwise("mul_scalar", places, scalars=(float(step),))
    return converted(elementwise("add_scalar", scaled, scalars=(float(start),)), result.dtype)


@kernel(
    "aten.logspace",
    "aten.logspace.Tensor_Tensor",
    "aten.logspace.Tensor_Scalar",
    "aten.logspace.Scalar_Tensor",
)
def logspace(op: Any, start: Any, end: Any, steps: int, base: float = 10.0, **options: Any) -> Any:
    """The powers of the base to the values of `linspace`, in binary64; no whole numbers."""
    result = op(start, end, steps, base, **options)
    if not result.is_floating_point():
        raise not_exact(name_of(op), "it is not defined for whole numbers")
    exponents = linspace(_LINSPACE, float(start), float(end), steps, dtype=torch.float64)
    return converted(elementwise("rpow_scalar", exponents, scalars=(float(base),)), result.dtype)


_LINSPACE = torch.ops.aten.linspace.default


@kernel(
    "aten.linspace",
    "aten.linspace.Tensor_Tensor",
    "aten.linspace.Tensor_Scalar",
    "aten.linspace.Scalar_Tensor",
)
def linspace(op: Any, start: Any, end: Any, steps: int, **options: Any) -> Any:
    """Start + i ((end − start) / (steps − 1)) in binary64, the last one the end itself.

    Of whole numbers, both of which are truncated first, the values are truncated.
    """
    result = op(start, end, steps, **options)
    if steps < 2:
        return result
    whole = not result.is_floating_point()
    if whole:
        start, end = int(start), int(end)
    step = (float(end) - float(start)) / (steps - 1)
    places = converted(torch.arange(steps), torch.float64)
    scaled = elementwise("mul_scalar", places, scalars=(step,))
    values = elementwise("add_scalar", scaled, scalars=(float(start),))
    values[-1] = float(end)
    return values.to(result.dtype) if whole else converted(values, result.dtype)
