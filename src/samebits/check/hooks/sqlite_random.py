"""SQLite's own random numbers: they come from a fixed stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from samebits.core.interposition import FixedStream, Hook, UserLines
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting


class SqliteRandomHook(Hook):
    """Gives fixed numbers for RANDOM() and RANDOMBLOB() of `sqlite3`.

    SQLite draws in C, from bytes that it asks the system for itself.

    Settings:
        seed: Chooses the stream.
    """

    name: ClassVar[str] = "sqlite-random"
    defaults: ClassVar[Mapping[str, Setting]] = {"seed": 0}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._stream = FixedStream(self.settings["seed"])

    def put_in_place(self) -> None:
        """Stand in for the functions in each connection."""
        self.replace_sqlite_connect(self._connect)

    def enter_child(self, number: int) -> None:
        """Children draw numbers of their own."""
        self._stream.enter_child(number)

    def _connect(self, original: Function) -> Function:
        def connect(*args: Any, **kwargs: Any) -> Any:
            connection = original(*args, **kwargs)
            connection.create_function("random", 0, self._number)
            connection.create_function("randomblob", 1, self._blob)
            return connection

        return connect

    def _number(self) -> int:
        self.acted += 1
        return int.from_bytes(self._stream.take("sqlite", 8), "little", signed=True)

    def _blob(self, size: Any) -> bytes:
        self.acted += 1
        return self._stream.take("sqlite", max(int(size), 1))
