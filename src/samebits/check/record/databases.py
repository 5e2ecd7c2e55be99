"""What SQLite's databases hold, row by row: their files say as well how often they were changed.

A run may add rows to those of earlier runs. Then its own part is what is compared.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from samebits.check.record.processes.file_digests import FileDigest, of_text
from samebits.check.record.processes.pickle_digest import pickle_digest
from samebits.core.catalog.own_names import OwnNames

if TYPE_CHECKING:
    import sqlite3  # else imported only where the script has done so

_MOST_BEFORE = 4 * 2**20
"""Bytes of a file up to which it is read while the script waits for it to be opened."""
_LARGEST = 256 * 2**20
_MOST_TEXT = 16 * 2**20
_OPEN_CHANGES = ("-journal", "-wal")


@dataclass(frozen=True)
class DatabaseBefore:
    """A database as a run has found it.

    Attributes:
        state: Size and time of the last change in ns; None where it was not there.
        rows: Digests of its rows and how many there are of each; None where that is not known.
    """

    state: tuple[int, int] | None
    rows: Counter[bytes] | None


@dataclass(frozen=True)
class _DatabaseRow:
    """One line a row; `unnumbered` is that without the number that SQLite gives each row."""

    line: str
    unnumbered: str


def database_path(database: Any) -> str | None:
    """The path in what `sqlite3.connect` was given; None where that names no file.

    Args:
        database: A path, or an address such as "file:results.db?mode=rwc".
    """
    if not isinstance(database, str | bytes | os.PathLike):
        return None
    path = os.fsdecode(database)
    if path.startswith("file:") and not Path(path).exists():
        path = unquote(path[len("file:") :].partition("?")[0])
        if path.startswith("//"):
            path = "/" + path[2:].partition("/")[2]
    return path or None


def database_before(path: str) -> DatabaseBefore:
    """What is in a database before the run opens it.

    Args:
        path: Absolute path; nothing need be there.
    """
    state = _state(path)
    if state is None:
        return DatabaseBefore(None, Counter())
    if state[0] > _MOST_BEFORE or _has_open_changes(path):
        return DatabaseBefore(state, None)
    with contextlib.suppress(OSError, ValueError):
        return DatabaseBefore(state, Counter(_key(row) for row in _rows(path)))
    return DatabaseBefore(state, None)


def is_as_it_was(path: str, before: DatabaseBefore) -> bool:
    """Whether a run has only read a database."""
    return _state(path) == before.state and not _has_open_changes(path)


def database_digest(path: str, before: DatabaseBefore, own: OwnNames) -> tuple[FileDigest, bool]:
    """What a run has left in a database.

    Args:
        path: Absolute path of a file.
        before: What was in it.
        own: Names of the run.

    Returns:
        Its digest, and whether that is of what the run has added to rows that are still there.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no database, too large, or locked.
    """
    if os.path.getsize(path) > _LARGEST:
        raise ValueError(f"{path} is too large")
    rows = _rows(path)
    added = _beyond(rows, before.rows or Counter())
    is_added = added is not None and 0 < len(added) < len(rows)
    own_rows = [row.unnumbered for row in (added if added and is_added else rows)]
    text = "\n".join(own_rows if is_added else (row.line for row in rows))
    if len(text) > _MOST_TEXT:
        digest = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
        return FileDigest("bytes", digest), is_added
    alone = of_text("\n".join(filter(None, own_rows)), own=own)
    return replace(of_text(text, own=own), rows=alone.anonymous or alone.digest), is_added


def _beyond(rows: list[_DatabaseRow], before: Counter[bytes]) -> list[_DatabaseRow] | None:
    """Rows beyond those that were there; None where some of these are gone."""
    left = Counter(before)
    more = []
    for row in rows:
        key = _key(row)
        if left[key] > 0:
            left[key] -= 1
        else:
            more.append(row)
    return None if +left else more


def _rows(path: str) -> list[_DatabaseRow]:
    """What the database is made of, and its rows in the order in which SQLite gives them.

    Raises:
        ValueError: It is no database, or locked.
    """
    import sqlite3

    # Without locks and files of its own, unless another connection has begun to change something.
    how = "mode=ro" if _has_open_changes(path) else "mode=ro&immutable=1"
    # The class, not sqlite3.connect: in further runs that gives copies.
    try:
        with contextlib.closing(
            sqlite3.Connection(f"file:{quote(path)}?{how}", timeout=0, uri=True)
        ) as connection:
            return list(_all_rows(connection))
    except sqlite3.Error as error:
        raise ValueError(str(error)) from error


def _all_rows(connection: sqlite3.Connection) -> Iterator[_DatabaseRow]:
    connection.text_factory = lambda raw: raw.decode("utf-8", "backslashreplace")
    tables = []
    made = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
    for kind, name, source in connection.execute(made).fetchall():
        yield _DatabaseRow(f"{kind} {name}: {source}", "")
        # What is in a virtual table lies in others.
        if kind == "table" and not str(source).upper().startswith("CREATE VIRTUAL"):
            tables.append(str(name))
    for name in tables:
        yield from _rows_of(connection, name)


def _rows_of(connection: sqlite3.Connection, table: str) -> Iterator[_DatabaseRow]:
    called = '"' + table.replace('"', '""') + '"'
    columns = connection.execute(f"PRAGMA table_info({called})").fetchall()
    keys = [str(column[1]) for column in columns if column[5]]
    types = {str(column[1]): str(column[2]).upper() for column in columns}
    number = keys[0] if len(keys) == 1 and types[keys[0]] == "INTEGER" else None
    found = connection.execute(f"SELECT * FROM {called}")
    names = [str(column[0]) for column in found.description]
    for values in found:
        cells = zip(names, values, strict=True)
        shown = {place: f"{name}={_shown(value)}" for place, (name, value) in enumerate(cells)}
        line = ", ".join(shown.values())
        without = ", ".join(text for place, text in shown.items() if names[place] != number)
        yield _DatabaseRow(f"{table}: {line}", f"{table}: {without}")


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        # As a number: what looks like a word may be taken for a name.
        return f"bytes {int(pickle_digest(value)[:16], 16):020d}"
    return repr(value)


def _key(row: _DatabaseRow) -> bytes:
    return hashlib.blake2b(row.line.encode(), digest_size=8).digest()


def _state(path: str) -> tuple[int, int] | None:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns


def _has_open_changes(path: str) -> bool:
    return any(_state(path + ending) is not None for ending in _OPEN_CHANGES)
