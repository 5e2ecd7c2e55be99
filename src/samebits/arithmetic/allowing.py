"""Names of operations that are let through although they are not exact."""

from __future__ import annotations

from collections.abc import Iterable

import torch

from samebits.errors import UsageError

_CHECKED = ("aten", "prims")
"""Namespaces that are whole once torch is imported; others may come later."""


def checked_names(names: Iterable[str]) -> frozenset[str]:
    """Names of operations, or of one overload each, as the resolver compares them.

    Args:
        names: Such as "aten.special_bessel_j0", "aten.norm.Scalar", "lab::filter".

    Raises:
        UsageError: They are not a collection of names, or torch has no such operation.
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
        checked.add(plain)
    return frozenset(checked)


def _exists(namespace: str, rest: str) -> bool:
    operation, _, overload = rest.partition(".")
    packet = getattr(getattr(torch.ops, namespace), operation, None)
    return packet is not None and (not overload or overload in packet.overloads())
