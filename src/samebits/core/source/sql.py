"""SQL in the strings of a source file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from samebits.core.source.statement import statements_in

_DRAWS = re.compile(
    r"(?:\b(?:select|order\s+by|where|values|limit|view)\b"
    r"|\bcreate\s+(?:temp\w*\s+)?(?:table|trigger)\b|\bupdate\s+\w+\s+set\b)"
    r".*?(?<![.\w])random(?:blob)?\s*\(",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_FOR_THE_TIME = re.compile(
    r"\b(?:select|order\s+by|where|values|set)\b.*?"
    r"(?:['\"]now['\"]|\bcurrent_(?:date|time|timestamp)\b"
    r"|\b(?:date|datetime|julianday|unixepoch)\s*\(\s*\)|\bstrftime\s*\(\s*'[^']*'\s*\))",
    re.IGNORECASE | re.DOTALL,
)
_PART = re.compile(
    r"(?:abs\s*\()?random(?:blob)?\s*\(\s*\d*\s*\)"
    r"(?:\s|\)|[%,;?\d]|\b(?:limit|offset|asc|desc)\b)*",
    re.IGNORECASE,
)
"""The end of a query whose beginning is another string."""
_TABLE = re.compile(
    r"\bcreate\s+(?:temp\w*\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)\s*(\([^;]*)", re.IGNORECASE
)
_DRAWN_COLUMN = re.compile(
    r"[(,]\s*(\w+)\s[^,]*?\bdefault\s*\([^,]*?(?<![.\w])random(?:blob)?\s*\(", re.IGNORECASE
)
_NOT_BY_ROWID = re.compile(r"\b(?:join|limit|union)\b|\bwithout\s+rowid\b", re.IGNORECASE)
"""What a query or table has that the order of its rows' numbers does not suit."""


def draws_in_sql(file: str | None) -> bool:
    """Whether a string of the file, of one line or several, is SQL that calls RANDOM().

    Or the end of it, as in `query + "RANDOM() LIMIT ?"`.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    return any(map(_draws, _strings(file)))


def asks_for_the_time_in_sql(file: str | None) -> bool:
    """Whether a string of the file is SQL that computes with 'now' or CURRENT_TIMESTAMP.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    return any(_ASKS_FOR_THE_TIME.search(text) is not None for text in _strings(file))


def _draws(text: str) -> bool:
    return _DRAWS.search(text) is not None or _PART.fullmatch(text.strip()) is not None


def drawn_order_in_sql(file: str | None) -> str:
    """The column by which a query of the file orders rows, and which each row draws at random.

    Args:
        file: The source file; nothing is found in one that cannot be read.

    Returns:
        "" where there is none, or several.
    """
    texts = _commands(file)
    found = {
        column
        for table, columns, column in _drawn_columns(texts)
        if not _NOT_BY_ROWID.search(columns) and _is_ordered_by(texts, table, column)
    }
    return found.pop() if len(found) == 1 else ""


def drawn_column_in_sql(file: str | None) -> str:
    """The column that each row of a table draws at random, where no query draws by itself.

    Args:
        file: The source file; nothing is found in one that cannot be read.

    Returns:
        "" where there is none, or several.
    """
    found = {column for _, _, column in _drawn_columns(_commands(file))}
    return found.pop() if len(found) == 1 else ""


def _commands(file: str | None) -> list[str]:
    """The parts of a file's strings between semicolons: a string may be a whole script of SQL."""
    return [part for text in _strings(file) for part in text.split(";")]


def _drawn_columns(texts: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Table, text of its columns, and column whose default is drawn; none if a query draws."""
    if any(_draws(text) for text in texts if not _TABLE.search(text)):
        return
    for text in texts:
        for table, columns in _TABLE.findall(text):
            for column in _DRAWN_COLUMN.findall(columns):
                yield table, columns, column


def _is_ordered_by(texts: Sequence[str], table: str, column: str) -> bool:
    """Whether a query of one table has its rows in the order of a column."""
    asks = re.compile(
        rf"\bfrom\s+{table}\b.*?\border\s+by\s+(?:\w+\.)?{column}\b", re.IGNORECASE | re.DOTALL
    )
    queries = [text for text in texts if asks.search(text)]
    return bool(queries) and not any(map(_NOT_BY_ROWID.search, queries))


def _strings(file: str | None) -> Iterator[str]:
    for statement in statements_in(file):
        for node in statement.expressions():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
