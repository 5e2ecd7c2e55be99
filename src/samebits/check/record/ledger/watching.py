"""Telling the native ledger which functions to watch and what their calls mean."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from samebits.check.trace.codes import LEDGER_EVENTS, LEDGER_SOURCES
from samebits.core import _native


class Meaning(enum.IntEnum):
    """What a call of a watched function means; codes shared with native/python/ledger.hpp."""

    PYTHON_DRAW = 0
    DRAW = 1
    SEED = 2
    RESTORE = 3
    CONSTRUCT = 4
    GENERATOR = 5
    DEFAULT_RNG = 6
    BYTES = 7
    CLOCK = 8
    PID = 9
    HASH = 10
    LIST = 11
    SCAN = 12
    SCAN_NEXT = 13
    TORCH_DRAW = 14
    TORCH_DROPOUT = 15
    TORCH_ATTENTION = 16
    TORCH_RECURRENT = 17
    TORCH_SEED = 18
    TORCH_RESEED = 19
    TORCH_NEW = 20
    TORCH_RESTORE = 21
    PROGRAM = 22
    THREAD = 23
    EXIT = 24
    FILE_TIME = 25
    STATE = 26
    PORT = 27


class Slot(enum.IntEnum):
    """A type's slot that can be watched; codes shared with native/python/watched.hpp."""

    INIT = 0
    NEW = 1
    NEXT = 2


def source_code(name: str) -> int:
    """The code of a source."""
    return LEDGER_SOURCES.index(name)


def event_code(name: str) -> int:
    """The code of an event."""
    return LEDGER_EVENTS.index(name)


class Watching:
    """Puts watches in place and keeps what must be undone in Python.

    Args:
        native: The process's ledger.
    """

    def __init__(self, native: _native.Ledger) -> None:
        self.native = native
        self.missing: list[str] = []
        self._undo: list[Callable[[], None]] = []

    def function(self, owner: Any, name: str, meaning: Meaning, source: str, shown: str) -> None:
        """Watch a function of a module or a method in a type's own dict.

        Args:
            owner: The module or type; nothing is watched where it has no such name.
            name: What it is called there.
            meaning: What its calls mean.
            source: One of `schema.LEDGER_SOURCES`.
            shown: How rows name it.
        """
        found = vars(owner).get(name) if isinstance(owner, type) else getattr(owner, name, None)
        if found is None:
            return
        rule = self.native.rule(meaning, source_code(source), shown)
        if not self.native.watch(found, rule):
            self.missing.append(shown)

    def type_slot(self, kind: type, slot: Slot, meaning: Meaning, source: str, shown: str) -> None:
        """Watch how a type makes or initialises its instances, or how they are iterated over."""
        if not self.native.watch_type(
            kind, slot, self.native.rule(meaning, source_code(source), shown)
        ):
            self.missing.append(shown)

    def setter(self, kind: type, name: str, meaning: Meaning, source: str, shown: str) -> None:
        """Watch assignments to a property that a type of C defines itself."""
        found = vars(kind).get(name)
        if found is not None:
            self.native.watch_setter(found, self.native.rule(meaning, source_code(source), shown))

    def shared(self, generator: Any, source: str) -> None:
        """Name a generator that everybody shares; nobody has seeded it yet."""
        if generator is not None:
            self.native.set_global(generator, source_code(source))

    def undo_with(self, action: Callable[[], None]) -> None:
        """Have `action` called when the watching ends."""
        self._undo.append(action)

    def end(self) -> None:
        """Put back what Python put in place; the native ledger does so for its own."""
        while self._undo:
            self._undo.pop()()
