"""Names of operations that are let through although they are not exact."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch

import samebits.arithmetic.operations.all  # noqa: F401  fills the table
from samebits.arithmetic.forms import computed_by
from samebits.arithmetic.gate import arrives_in_parts
from samebits.errors import UsageError

_CHECKED = ("aten", "prims")
"""Namespaces that are whole once torch is imported; others may come later."""


def checked_names(names: Iterable[str]) -> frozenset[str]:
    """Names of operations, or of one overload each, as the resolver compares them.

    Args:
        names: Such as "aten.special_bessel_j0", "aten.norm.Scalar", "lab::filter".

    Raises:
        UsageError: They are not a collection of names, torch has no such operation, or it composes
            the operation of others before a block is asked.
    """
    if isinstance(names, str):
        raise UsageError(
            "allow takes a set of operation names",
            hint=f'Write samebits.exact(allow={{"{names}"}}).',
        )
    checked = set()
    for name in names:
        if not isinstance(name, str):
            raise UsageError(f"allow takes a set of operation names, not of {type(name).__name__}")
        plain = name.replace("::", ".").removesuffix(".default")
        namespace, _, rest = plain.partition(".")
        if not rest:
            raise UsageError(
                f"allow takes names with their namespace, not {name!r}",
                hint=f'An operation of torch\'s is written "aten.{name}".',
            )
        if namespace in _CHECKED and not _exists(namespace, rest):
            raise UsageError(
                f"torch has no operation {name!r}",
                hint="The error about an operation that is not exact gives its name.",
            )
        if namespace == "aten" and all(map(_is_never_met, _overloads(rest))):
            raise UsageError(
                f"torch composes {name!r} of others, which are exact or refused one by one",
                hint="Allow those parts that are refused: the error names each.",
            )
        checked.add(plain)
    return frozenset(checked)


def _is_never_met(op: Any) -> bool:
    """Whether blocks are given an operation's parts, and have no composition of their own."""
    return arrives_in_parts(op) and computed_by(op) is None


def _overloads(rest: str) -> list[Any]:
    operation, _, overload = rest.partition(".")
    packet = getattr(torch.ops.aten, operation)
    if overload:
        return [getattr(packet, overload)]
    found = [getattr(packet, one) for one in packet.overloads()]
    # Some are TorchScript's own.
    found = [op for op in found if torch._C._dispatch_has_kernel(op.name())]
    # People mean what makes a tensor: `linear.out` calls `linear`, and is no composition itself.
    return [op for op in found if not op._schema.is_mutable] or found


def _exists(namespace: str, rest: str) -> bool:
    operation, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), operation, None)
    return packet is not None and (not overload or overload in packet.overloads())
