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
_FEWEST_WORDS = 3
"""Columns that blanks alone keep apart; two words may be anything."""


@dataclass(frozen=True)
class _PrintedTable:
    """A table that is being printed.

    Attributes:
        separator: What stands between its cells; "" for blanks.
        size: How many cells a row has.
        timed: Numbers of the columns that are named for time, from 0.
    """

    separator: str
    size: int
    timed: tuple[int, ...]


def without_timed_columns(lines: Sequence[str]) -> list[str]:
    """Lines with "#" in the place of what a table's columns hold that are named for time.

    Args:
        lines: Printed lines, with the number of a step and a tab before each, or without.
    """
    result: list[str] = []
    table: _PrintedTable | None = None
    for number, line in enumerate(lines):
        table = _table_at(lines, number) or table
        result.append(line if table is None else _without_times(line, table))
    return result


def _table_at(lines: Sequence[str], number: int) -> _PrintedTable | None:
    """The table whose columns a line names, if the first row follows it."""
    header = _untagged(lines[number])
    if "#" not in header and not any(map(str.isalpha, header)):
        return None
    rows = (_untagged(line) for line in lines[number + 1 : number + 3])
    row = next((row for row in rows if not _RULE.fullmatch(row)), "")
    for separator in (*_SEPARATORS, ""):
        names, cells = _cells(header, separator), _cells(row, separator)
        fewest = 2 if separator else _FEWEST_WORDS
        if len(names) != len(cells) or len(names) < fewest or not all(map(_is_name, names)):
            continue
        timed = tuple(n for n, name in enumerate(names) if is_named_for_time(name))
        numbers = [bool(_NUMBER.fullmatch(cell)) for cell in cells]
        if timed and (all(numbers) or (separator and all(numbers[n] for n in timed))):
            return _PrintedTable(separator, len(names), timed)
    return None


def _without_times(line: str, table: _PrintedTable) -> str:
    tag = _TAG.match(line)
    begin = "" if tag is None else tag[0]
    text = line[len(begin) :]
    cells = _cells(text, table.separator)
    if len(cells) != table.size or not all(_NUMBER.fullmatch(cells[n]) for n in table.timed):
        return line
    if not table.separator and not all(map(_NUMBER.fullmatch, cells)):
        return line
    for number in table.timed:
        cells[number] = "#"
    return begin + (table.separator or " ").join(cells)


def _untagged(line: str) -> str:
    return _TAG.sub("", line, count=1)


def _cells(line: str, separator: str) -> list[str]:
    parts = line.split(separator) if separator else line.split()
    return [part.strip().strip("\"'") for part in parts]


def _is_name(cell: str) -> bool:
    return bool(_NAME.fullmatch(cell)) and not _NUMBER.fullmatch(cell)
