"""What a process says of the exception that ends it: what it was, and on which line of the user's.

Python keeps an exception that ends a program. One that ends a process of `multiprocessing` is
printed there, or written down for the process that waits: both ask `traceback` for its text.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

from samebits.check.record.processes.collectives_begun import collectives_begun
from samebits.check.record.processes.stack_place import calls_of, place_on
from samebits.core.on_import import when_imported

RAISED = "raised"
"""The event, with type, message, file, line, operation and number of collectives."""

_MOST_CHARACTERS = 1000
_LAST_RESORTS = frozenset({"multiprocessing.process", "torch.multiprocessing.spawn"})
"""Modules that ask for a traceback when an exception has ended what they ran."""


class LastWords:
    """Notes the exception that ends this process.

    Args:
        note: Writes an event into the journal that this process has at that time.
        is_user: Tells the user's own files.
    """

    def __init__(self, note: Callable[..., None], is_user: Callable[[str], bool]) -> None:
        self._note = note
        self._is_user = is_user
        self._told: BaseException | None = None

    def install(self) -> None:
        """Listen from now on, in this process and in those that it forks."""
        atexit.register(self._ended)
        when_imported("traceback", self._listen)

    def _ended(self) -> None:
        error = getattr(sys, "last_value", None)
        if isinstance(error, BaseException):
            self._tell(error)

    def _listen(self) -> None:
        module: Any = sys.modules["traceback"]
        for name in ("print_exc", "format_exc"):
            setattr(module, name, self._around(getattr(module, name)))

    def _around(self, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def asked(*args: Any, **kwargs: Any) -> Any:
            if sys._getframe(1).f_globals.get("__name__") in _LAST_RESORTS:
                error = sys.exc_info()[1]
                if error is not None:
                    self._tell(error)
            return original(*args, **kwargs)

        return asked

    def _tell(self, error: BaseException) -> None:
        if error is self._told:
            return
        self._told = error
        with contextlib.suppress(Exception):  # nothing of ours may show beside it
            place = place_on(calls_of(error.__traceback__), self._is_user)
            begun = collectives_begun()
            self._note(
                RAISED,
                type(error).__name__,
                str(error)[:_MOST_CHARACTERS],
                place.file,
                str(place.line),
                place.operation,
                "" if begun is None else str(begun),
            )
