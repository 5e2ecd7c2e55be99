"""What scopes share, such as `deterministic()`: use in a `with` block and as a decorator."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

from samebits.errors import UsageError

F = TypeVar("F", bound=Callable[..., Any])


class BlockOrDecorator(contextlib.ContextDecorator):
    """A context manager that also decorates plain functions, and refuses those it cannot hold.

    Calling a generator function or a coroutine function returns at once and runs its body later,
    when a decorator's scope is long closed. Python would accept the decoration silently.
    """

    #: How a person writes this scope, for messages.
    label = "this scope"

    def __call__(self, func: F) -> F:
        """Decorate `func` so that every call of it runs inside a scope of its own.

        Raises:
            UsageError: `func` is no function, or one whose body runs after the call has returned.
        """
        self.demand_plain(func)
        return super().__call__(func)

    def demand_plain(self, func: Callable[..., Any]) -> None:
        """Refuse what a decorator cannot hold.

        Raises:
            UsageError: `func` is no function, or one whose body runs after the call has returned.
        """
        if not callable(func):
            raise UsageError(
                f"{self.label} can decorate a function, not {type(func).__name__!r}.",
                hint=f"Write `with {self.label}:` around the code instead.",
            )
        if (
            inspect.isgeneratorfunction(func)
            or inspect.iscoroutinefunction(func)
            or inspect.isasyncgenfunction(func)
        ):
            name = getattr(func, "__qualname__", repr(func))
            raise UsageError(
                f"{self.label} cannot decorate {name}: its body runs after the call has returned, "
                "outside the scope.",
                hint=f"Write `with {self.label}:` inside the body of {name}.",
            )
