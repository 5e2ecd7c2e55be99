"""Plain values that stand for pandas' tables and times: labels, and what columns hold."""

from __future__ import annotations

from typing import Any

import numpy as np

_MOST_COLUMNS = 256
_MOST_OBJECTS = 1024
"""Values that are no plain numbers are made into Python's objects one by one."""


def plain_pandas(value: Any, name: str) -> Any:
    """Arrays, lists and text that hold what a table, a column, an index or a time holds.

    Of many columns, and of long columns that are no plain numbers, the two ends are taken.

    Args:
        value: An object of one of pandas' own classes.
        name: What the class is called.

    Returns:
        None for what is no table, column, index or time.
    """
    if name == "DataFrame":
        return [_labels(value.columns), _labels(value.index), *map(_values, _columns(value))]
    if name == "Series":
        return [value.name, _labels(value.index), _values(value)]
    if name in ("Timestamp", "Timedelta"):
        return repr(value)
    return _labels(value) if name.endswith("Index") else None


def _columns(table: Any) -> list[Any]:
    count = table.shape[1]
    if count <= _MOST_COLUMNS:
        return [column for _, column in table.items()]
    half = _MOST_COLUMNS // 2
    numbers = [*range(half), *range(count - half, count)]
    return [table.iloc[:, number] for number in numbers]


def _labels(index: Any) -> Any:
    if type(index).__name__ == "RangeIndex":  # which makes an array where it is asked for one
        return index.start, index.stop, index.step
    return [list(index.names), _values(index)]


def _values(column: Any) -> Any:
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "biufcmM":
        numbers = np.asarray(column.array)
        # A buffer of times has no format.
        return numbers.view("int64") if numbers.dtype.kind in "mM" else numbers
    content = column.array
    if len(content) <= _MOST_OBJECTS:
        return content.tolist()
    half = _MOST_OBJECTS // 2
    return [len(content), *content[:half], *content[-half:]]
