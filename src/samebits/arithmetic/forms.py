"""The forms of an operation: a new tensor, its first argument changed, or an `out` written to.

The table names the first. The others have the same arguments in torch's schemas, beside the one
that is written to, and are computed from the same row.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from samebits.arithmetic.kernels import converted, is_float
from samebits.arithmetic.refusal import not_exact
from samebits.arithmetic.registry import (
    COMPLEX_ENTRIES,
    ENTRIES,
    SAFE,
    Dtypes,
    ExactOperation,
    Handler,
    name_of,
)
from samebits.arithmetic.shortcuts import Shortcut, in_place

COMPOSITION = torch._C.DispatchKey.CompositeImplicitAutograd


@dataclass(frozen=True)
class Computed:
    """What computes one overload: `handler`, called with its arguments; the rest is its row's."""

    handler: Handler
    how: str
    under_mode: bool
    first: Handler | None
    shortcut: Shortcut | None
    dtypes: Dtypes


@functools.cache
def computed_by(operation: Any) -> Computed | None:
    """What computes an operation by its own row or that of its functional form, if there is one."""
    name = name_of(operation)
    row = ENTRIES.get(name)
    base = operation if row is not None else functional_form(operation)
    if base is None or name in SAFE:
        return None
    row = row or ENTRIES[name_of(base)]
    target = target_of(operation)
    shortcut = row.shortcut
    if target is not None:
        shortcut = None if target.kwarg_only else in_place(shortcut)
    handler = _handler(row, operation, base, target)
    first = row.first if base is operation else None
    return Computed(handler, row.how, row.under_mode, first, shortcut, row.dtypes)


@functools.cache
def complex_by(operation: Any) -> Handler | None:
    """What computes an operation where complex numbers are among its arguments; None: nothing."""
    name = name_of(operation)
    row = COMPLEX_ENTRIES.get(name)
    base = operation if row is not None else functional_form(operation, COMPLEX_ENTRIES)
    if base is None or name in SAFE:
        return None
    return _handler(row or COMPLEX_ENTRIES[name_of(base)], operation, base, target_of(operation))


def exact(operation: Any) -> Handler:
    """The handler of an operation that is in the table, for kernels that are made of others."""
    found = computed_by(operation)
    assert found is not None, operation
    return found.handler


def functional_form(operation: Any, table: Mapping[str, ExactOperation] = ENTRIES) -> Any:
    """The overload in a table that makes a new tensor where this one writes to a given one."""
    target = target_of(operation)
    if target is None or operation.namespace != "aten":
        return None
    packet = name_of(operation).split(".")[1]
    if not target.kwarg_only:
        packet = packet.removesuffix("_")
    family = getattr(torch.ops.aten, packet, None)
    wanted = _arguments(operation, target.name if target.kwarg_only else None)
    for overload in family.overloads() if family is not None else ():
        found = getattr(family, overload)
        if name_of(found) in table and _arguments(found, None) == wanted:
            return found
    return None


@functools.cache
def target_of(operation: Any) -> Any:
    """The argument to which an overload writes, of its schema; None unless it is one tensor."""
    schema = getattr(operation, "_schema", None)
    arguments = () if schema is None else schema.arguments
    written = [a for a in arguments if a.alias_info is not None and a.alias_info.is_write]
    return written[0] if len(written) == 1 and str(written[0].type) == "Tensor" else None


def _arguments(operation: Any, target: str | None) -> list[tuple[str, str]]:
    return [(a.name, str(a.type)) for a in operation._schema.arguments if a.name != target]


def _handler(row: ExactOperation, operation: Any, base: Any, target: Any) -> Handler:
    if row.binds:
        return row.function(operation, target)  # type: ignore[no-any-return]
    if base is operation and not row.writes:
        return functools.partial(row.function, operation)
    if row.writes:
        if target is None:
            return functools.partial(row.function, operation, None)
        if target.kwarg_only:
            return functools.partial(_into, row.function, target.name, operation)
        return functools.partial(_in_place, row.function, operation)
    single = functools.partial(row.function, base)
    dtype = any(argument.name == "dtype" for argument in base._schema.arguments)
    name = target.name if target.kwarg_only else None
    return functools.partial(_written, single, name, dtype, operation)


def _in_place(function: Handler, op: Any, /, *args: Any, **named: Any) -> Any:
    return function(op, args[0], *args, **named)


def _into(function: Handler, target: str, op: Any, /, *args: Any, **named: Any) -> Any:
    return function(op, named.pop(target), *args, **named)


def _written(
    single: Handler, target: str | None, dtype: bool, op: Any, /, *args: Any, **named: Any
) -> torch.Tensor:
    """Compute a new tensor, and put it where it belongs; `dtype`: whether one can be asked for."""
    out = args[0] if target is None else named.pop(target)
    if not out.is_floating_point() and not any(is_float(leaf) for leaf in leaves((args, named))):
        return torchs_own(op, out, args, named)  # type: ignore[no-any-return]
    if dtype and named.get("dtype") is None:
        named["dtype"] = out.dtype
    result = single(*args, **named)
    if result.dtype == out.dtype and result.shape == out.shape:
        return out.copy_(result)  # type: ignore[no-any-return]
    if is_float(out) and not is_float(result):
        raise not_exact(name_of(op), "it is not defined for whole numbers")
    return write(op, out, result)


def write(op: Any, out: torch.Tensor, result: torch.Tensor) -> torch.Tensor:
    """Put a finished result into the tensor that was given for it, as torch would."""
    same = result.dtype == out.dtype
    if not same and not torch.can_cast(result.dtype, out.dtype):
        raise RuntimeError(
            f"{name_of(op)}: a result of {result.dtype} does not go into {out.dtype}; "
            "give a floating tensor"
        )
    if out.shape != result.shape:
        if not target_of(op).kwarg_only:
            raise RuntimeError(
                f"output with shape {list(out.shape)} doesn't match the broadcast shape "
                f"{list(result.shape)}"
            )
        out.resize_(result.shape)
    return out.copy_(result if same or not is_float(out) else converted(result, out.dtype))


def own_arguments(op: Any, out: torch.Tensor | None, named: dict[str, Any]) -> dict[str, Any]:
    """An overload's named arguments, with the tensor that was given for its result."""
    target = target_of(op)
    return named if target is None or not target.kwarg_only else {**named, target.name: out}


def torchs_own(op: Any, out: torch.Tensor | None, args: Any, named: dict[str, Any]) -> Any:
    """What torch computes; for a function that `writes`, of what it was given."""
    named = named if out is None else own_arguments(op, out, named)
    if is_composed(op):  # with the mode on: by its name it would come here again
        return op._op_dk(COMPOSITION, *args, **named)
    return op(*args, **named)


@functools.cache
def is_composed(op: Any) -> bool:
    """Whether torch composes an overload of others, before any dispatch mode is asked."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(op.name(), COMPOSITION))


def leaves(value: Any) -> Iterator[Any]:
    """Everything in nested lists and dictionaries."""
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))
    else:
        yield value
