"""Entering a formula in torch's functions as what computes an operation, in all its forms.

A formula runs under the mode: each operation in it is exact, and one that is not covered is
refused. It sees float32 or float64; halves are widened before it and rounded once after it.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from samebits.arithmetic.kernels import converted, is_float
from samebits.arithmetic.operations.arguments import require_plain, result_dtype
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import F, Handler, decomposition, name_of

HALVES = (torch.float16, torch.bfloat16)


def formula(
    *names: str, moves: bool = False, whole: bool = True, operation: bool = False
) -> Callable[[F], F]:
    """Enter a function of torch's functions for these operations.

    Their in-place and out= forms are entered with them.

    Args:
        names: Functional overloads as torch prints them, without a trailing ".default".
        moves: Whether values only move, so that halves need not be widened.
        whole: Whether torch's own results for whole numbers are exact.
        operation: Hand the operation over before its arguments.
    """

    def enter(function: F) -> F:
        for name in names:
            for form, target in ((name, None), *forms(name)):
                options = _Options(function, target, moves, whole, operation)
                handler = functools.partial(_run, options)
                decomposition(form, operation=True, under_mode=True)(handler)
        return function

    return enter


def forms(name: str) -> Iterator[tuple[str, str]]:
    """The in-place and out= forms of an operation, and the argument that each writes to."""
    packet, overload = _split(name)
    own = _arguments(getattr(getattr(torch.ops.aten, packet), overload))
    for other in (packet, f"{packet}_"):
        family = getattr(torch.ops.aten, other, None)
        for candidate in family.overloads() if family is not None else ():
            operation = getattr(family, candidate)
            writes = [
                argument.name
                for argument in operation._schema.arguments
                if argument.alias_info is not None and argument.alias_info.is_write
            ]
            if len(writes) != 1:
                continue
            rest = [a for a in _arguments(operation) if other != packet or a[0] != writes[0]]
            if rest == own:
                yield name_of(operation), writes[0]


def _split(name: str) -> tuple[str, str]:
    _, packet, *overload = name.split(".")
    return packet, overload[0] if overload else "default"


def _arguments(operation: Any) -> list[tuple[str, str]]:
    return [(a.name, str(a.type)) for a in operation._schema.arguments]


@dataclass(frozen=True)
class _Options:
    """What `formula` was told, and the argument to which this form writes."""

    function: Handler
    target: str | None
    moves: bool
    whole: bool
    operation: bool


def _run(own: _Options, op: Any, *args: Any, **kwargs: Any) -> Any:
    """Compute a formula for arguments as they come, and write its result where it belongs."""
    named = {name: value for name, value in kwargs.items() if name != own.target}
    out = None if own.target is None else kwargs.get(own.target, args[0])
    tensors = [leaf for leaf in leaves((args, named)) if isinstance(leaf, torch.Tensor)]
    floats = [tensor for tensor in tensors if is_float(tensor)]
    if not floats:
        return whole_result(op, own.whole, out, args, kwargs)
    require_plain(op, tensors if out is None else [*tensors, out])
    given = (args, named) if own.moves else (widened(args), widened(named))
    result = own.function(*([op] if own.operation else []), *given[0], **given[1])
    if out is not None:
        return write(op, out, result, in_place=own.target not in kwargs)
    dtype = named.get("dtype") or result_dtype(floats)
    return narrowed(result, dtype) if dtype in HALVES else result


def whole_result(op: Any, whole: bool, out: torch.Tensor | None, args: Any, kwargs: Any) -> Any:
    """What torch computes for whole numbers, if that is whole numbers too."""
    with _disable_current_modes():
        result = None if is_float(out) or not whole else op(*args, **kwargs)
    if result is None or any(is_float(leaf) for leaf in leaves(result)):
        raise not_exact(name_of(op), "it is not defined for whole numbers")
    return result


def write(op: Any, out: torch.Tensor, result: torch.Tensor, *, in_place: bool) -> torch.Tensor:
    """Put a finished result into the tensor that was given for it, as torch would."""
    if not torch.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"{name_of(op)}: a result of {result.dtype} does not go into {out.dtype}; "
            "give a floating tensor"
        )
    if out.shape != result.shape:
        if in_place:
            raise RuntimeError(
                f"output with shape {list(out.shape)} doesn't match the broadcast shape "
                f"{list(result.shape)}"
            )
        out.resize_(result.shape)
    return out.copy_(converted(result, out.dtype) if is_float(out) else result)


def leaves(value: Any) -> Iterator[Any]:
    """Everything in nested lists and dictionaries."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))
    else:
        yield value


def widened(value: Any) -> Any:
    """Arguments with their halves as float32."""
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in HALVES else value
    if isinstance(value, (list, tuple)):
        return type(value)(widened(item) for item in value)
    if isinstance(value, dict):
        return {name: widened(item) for name, item in value.items()}
    return value


def narrowed(value: Any, dtype: torch.dtype) -> Any:
    """Results with their floating tensors rounded to a dtype."""
    if isinstance(value, torch.Tensor):
        return value.to(dtype) if is_float(value) else value
    if isinstance(value, (list, tuple)):
        return type(value)(narrowed(item, dtype) for item in value)
    return value
