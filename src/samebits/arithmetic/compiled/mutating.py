"""Functional operations that only tracing makes, by the mutating ones for which they stand.

AOTAutograd turns operations that write to a tensor into ones that make a new tensor: `uniform_`
into `uniform`, batch norm into a form that also returns its running statistics. An exact block
never meets most of these; it has the mutating ones, which are run here on copies.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch

from samebits.arithmetic.forms import computed_by
from samebits.arithmetic.gate import is_composed, is_view
from samebits.arithmetic.registry import SAFE, name_of

Compute = Callable[[Any, tuple[Any, ...], dict[str, Any] | None], Any]
"""What computes an operation as a block does: of the operation and its arguments."""

_SUFFIX = "_functional"
_ROUNDS = "aten.copy"
"""`copy_` converts with one rounding; the table has no row for this form of it."""


@functools.cache
def mutating_form(op: Any) -> Any:
    """The overload that writes to its arguments where `op` makes new ones; None if not needed."""
    if not isinstance(op, torch._ops.OpOverload) or op.namespace != "aten":
        return None
    name = name_of(op)
    known = name in SAFE or is_view(op) or is_composed(op) or computed_by(op) is not None
    if known and name != _ROUNDS:
        return None
    packet = name.split(".")[1]
    stem = packet.removesuffix(_SUFFIX)
    wanted = [(a.name, str(a.type)) for a in op._schema.arguments]
    for candidate in [stem, stem + "_"] if stem != packet else [packet + "_"]:
        family = getattr(torch.ops.aten, candidate, None)
        for overload in () if family is None else family.overloads():
            found = getattr(family, overload)
            arguments = [(a.name, str(a.type)) for a in found._schema.arguments]
            if found._schema.is_mutable and arguments == wanted:
                return found
    return None


def compute_by_mutation(
    compute: Compute, form: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """What a functional operation gives, by its mutating form.

    Args:
        compute: What computes an operation as the block does.
        form: The mutating overload.
        args: The functional operation's arguments, which stay as they are.
        kwargs: Its named arguments.
    """
    own = list(args)
    written = []
    for place, argument in enumerate(form._schema.arguments):
        info = argument.alias_info
        if info is not None and info.is_write and place < len(own) and own[place] is not None:
            own[place] = _copied(own[place])
            written.append(own[place])
    result = compute(form, tuple(own), kwargs)
    returns_it = any(r.alias_info is not None for r in form._schema.returns)
    if returns_it:
        return written[0]
    if isinstance(written[0], list):  # of the operations on lists
        return written[0]
    results = result if isinstance(result, (tuple, list)) else (result,)
    return (*results, *written)


def _copied(value: Any) -> Any:
    return [one.clone() for one in value] if isinstance(value, (list, tuple)) else value.clone()
