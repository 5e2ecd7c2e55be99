"""Tables in printed text: what stands under a column's name goes by that name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from samebits.core.catalog.measurements import is_named_for_time

_TAG = re.compile(r"^\d+\t")
"""The number of a step before a recorded line."""
_NAME = re.compile(r"[A-Za-z_%#][\w /%.()\[\]#-]*")
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?%?|nan|[-+]?inf", re.IGNORECASE)
_RULE = re.compile(r"[-=+|:\s]*[-=]{2}[-=+|:\s]*")
_SEPARATORS = (",", ";", "\t", "|")
"""Blanks are none: three numbers in a row may be anything."""


@dataclass(frozen=True)
class _PrintedTable:
    """A table that is being printed.

    Attributes:
        separator: What stands between its cells.
        size: How many cells a row has.
        timed: Numbers of the columns that are named for time, from 0.
    """

    separator: str
    size: int
    timed: tuple[int, ...]


def without_timed_columns(lines: Sequence[str], *, tagged: bool = False) -> list[str]:
    """Lines with "#" in the place of what a table's columns hold that are named for time.

    A table ends with its rows: at the first line that is none of them, and names no columns again.

    Args:
        lines: Printed lines.
        tagged: Whether the number of a step and a tab stand before each.
    """
    result: list[str] = []
    table: _PrintedTable | None = None
    texts = [_TAG.sub("", line, count=1) if tagged else line for line in lines]
    for number, (line, text) in enumerate(zip(lines, texts, strict=True)):
        begun = _table_at(texts, number)
        row = None if table is None or begun is not None else _without_times(text, table)
        if begun is not None:
            table = begun
        elif row is None and not _RULE.fullmatch(text):
            table = None
        result.append(line if row is None else line[: len(line) - len(text)] + row)
    return result


def _table_at(texts: Sequence[str], number: int) -> _PrintedTable | None:
    """The table whose columns a line names, if the first row follows it."""
    header = texts[number]
    row = next((text for text in texts[number + 1 : number + 3] if not _RULE.fullmatch(text)), "")
    for separator in _SEPARATORS:
        if separator not in header or header.count(separator) != row.count(separator):
            continue
        names, cells = _cells(header, separator), _cells(row, separator)
        numbers = [bool(_NUMBER.fullmatch(cell)) for cell in cells]
        if not any(numbers) or not all(map(_is_name, names)):
            continue
        timed = tuple(n for n, name in enumerate(names) if is_named_for_time(name))
        if timed and all(numbers[n] for n in timed):
            return _PrintedTable(separator, len(names), timed)
    return None


def _without_times(text: str, table: _PrintedTable) -> str | None:
    """A row without what is a time; None for any other line."""
    parts = text.split(table.separator)
    cells = _cells(text, table.separator)
    if len(cells) != table.size or not all(_NUMBER.fullmatch(cells[n]) for n in table.timed):
        return None
    for number in table.timed:
        parts[number] = "#"
    return table.separator.join(parts)


def _cells(text: str, separator: str) -> list[str]:
    return [part.strip().strip("\"'") for part in text.split(separator)]


def _is_name(cell: str) -> bool:
    return bool(_NAME.fullmatch(cell)) and not _NUMBER.fullmatch(cell)
