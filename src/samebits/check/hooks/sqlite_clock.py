"""SQLite's clock: it stands still."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from samebits.check.hooks.clock import BEGINS_AT
from samebits.core.interposition import Hook, UserLines
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

_NOW = datetime.datetime.fromtimestamp(BEGINS_AT, datetime.timezone.utc)
_FUNCTIONS = ("date", "datetime", "julianday", "strftime", "time", "unixepoch")
_MOMENTS = {
    "current_date": _NOW.strftime("%Y-%m-%d"),
    "current_time": _NOW.strftime("%H:%M:%S"),
    "current_timestamp": _NOW.strftime("%Y-%m-%d %H:%M:%S"),
}


class SqliteClockHook(Hook):
    """Gives one moment for 'now' and CURRENT_TIMESTAMP of `sqlite3`.

    SQLite asks the system for the time in C. What it makes of a moment is left to it: its functions
    are called with the fixed moment in place of 'now', in another connection.
    """

    name: ClassVar[str] = "sqlite-clock"

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._own = threading.local()

    def put_in_place(self) -> None:
        """Stand in for the functions in each connection."""
        self.replace_sqlite_connect(self._connect)

    def _connect(self, original: Function) -> Function:
        def connect(*args: Any, **kwargs: Any) -> Any:
            connection = original(*args, **kwargs)
            # An index or a check may hold deterministic functions alone, as SQLite's own are.
            for name in _FUNCTIONS:
                asked = self._at_the_moment(name, original)
                connection.create_function(name, -1, asked, deterministic=True)
            for name, moment in _MOMENTS.items():
                connection.create_function(name, 0, self._giving(moment))
            return connection

        return connect

    def _at_the_moment(self, name: str, connect: Function) -> Callable[..., Any]:
        place = 1 if name == "strftime" else 0  # behind the format

        def asked(*values: Any) -> Any:
            given = [*values, "now"] if len(values) == place else list(values)
            if place < len(given) and str(given[place]).lower() == "now":
                self.acted += 1
                given[place] = _MOMENTS["current_timestamp"]
            if not hasattr(self._own, "connection"):  # a thread's connection is its own
                self._own.connection = connect(":memory:")
            query = f"SELECT {name}({', '.join('?' * len(given))})"
            return self._own.connection.execute(query, given).fetchone()[0]

        return asked

    def _giving(self, moment: str) -> Callable[[], str]:
        def asked() -> str:
            self.acted += 1
            return moment

        return asked
