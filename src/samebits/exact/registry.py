"""The one table of how operations are resolved; each file in `operations/` enters its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Handler = Callable[..., Any]
F = TypeVar("F", bound=Handler)

KERNEL, DECOMPOSITION = "kernel", "decomposition"


class Entry:
    """How an operation is computed inside `exact()`.

    Attributes:
        handler: Called with the operation's own arguments.
        how: KERNEL or DECOMPOSITION, for `coverage`.
        takes_operation: Whether the handler wants the operation before its arguments.
    """

    __slots__ = ("handler", "how", "takes_operation")

    def __init__(self, handler: Handler, how: str, takes_operation: bool) -> None:
        self.handler = handler
        self.how = how
        self.takes_operation = takes_operation


ENTRIES: dict[str, Entry] = {}
SAFE: set[str] = set()


def kernel(*names: str, operation: bool = False) -> Callable[[F], F]:
    """Enter a function as what computes these operations, by native kernels.

    Args:
        names: Overloads as torch prints them, without a trailing ".default".
        operation: Hand the operation over before its arguments.
    """
    return _enter(names, KERNEL, operation)


def decomposition(*names: str, operation: bool = False) -> Callable[[F], F]:
    """Enter a function that computes these operations by others in the table."""
    return _enter(names, DECOMPOSITION, operation)


def _enter(names: tuple[str, ...], how: str, operation: bool) -> Callable[[F], F]:
    def enter(function: F) -> F:
        for name in names:
            if name in ENTRIES or name in SAFE:
                raise AssertionError(f"{name} is in the table twice")
            ENTRIES[name] = Entry(function, how, operation)
        return function

    return enter


def safe(names: Iterable[str]) -> None:
    """Enter operations whose results are exact as torch computes them."""
    for name in names:
        if name in ENTRIES:
            raise AssertionError(f"{name} is in the table twice")
        SAFE.add(name)


def name_of(operation: Any) -> str:
    """An overload's name in the table: "aten.add.Tensor", "aten.relu"."""
    return str(operation).removesuffix(".default")
