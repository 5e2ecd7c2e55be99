"""The one table of how operations are resolved; each file in `operations/` enters its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Handler = Callable[..., Any]
F = TypeVar("F", bound=Handler)

KERNEL, DECOMPOSITION = "kernel", "decomposition"


class ExactOperation:
    """How an operation is computed inside `exact()`.

    Attributes:
        handler: Called with the operation's own arguments.
        how: KERNEL or DECOMPOSITION, for `coverage`.
        takes_operation: Whether the handler wants the operation before its arguments.
        under_mode: Whether the operations that the handler calls are to be exact themselves.
    """

    __slots__ = ("handler", "how", "takes_operation", "under_mode")

    def __init__(
        self, handler: Handler, how: str, takes_operation: bool, under_mode: bool = False
    ) -> None:
        self.handler = handler
        self.how = how
        self.takes_operation = takes_operation
        self.under_mode = under_mode


ENTRIES: dict[str, ExactOperation] = {}
SAFE: set[str] = set()


def kernel(*names: str, operation: bool = False) -> Callable[[F], F]:
    """Enter a function as what computes these operations, by native kernels.

    Args:
        names: Overloads as torch prints them, without a trailing ".default".
        operation: Hand the operation over before its arguments.
    """
    return _enter(names, KERNEL, operation)


def decomposition(
    *names: str, operation: bool = False, under_mode: bool = False
) -> Callable[[F], F]:
    """Enter a function that computes these operations by others in the table.

    Args:
        names: As for `kernel`.
        operation: As for `kernel`.
        under_mode: Run the function with the mode on, so that torch's functions in it are exact
            and those that are not covered are refused.
    """
    return _enter(names, DECOMPOSITION, operation, under_mode)


def _enter(
    names: tuple[str, ...], how: str, operation: bool, under_mode: bool = False
) -> Callable[[F], F]:
    def enter(function: F) -> F:
        for name in names:
            if name in ENTRIES or name in SAFE:
                raise AssertionError(f"{name} is in the table twice")
            ENTRIES[name] = ExactOperation(function, how, operation, under_mode)
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
