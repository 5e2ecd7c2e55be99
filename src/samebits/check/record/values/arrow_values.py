"""Plain values that stand for Arrow's tables and arrays: names of columns, and what they hold."""

from __future__ import annotations

from typing import Any

_MOST_COLUMNS = 256
_MOST_OBJECTS = 1024
"""Values that are no plain numbers are made into Python's objects one by one."""


def plain_arrow(value: Any, name: str) -> Any:
    """Arrays and lists that hold what a table, a batch, an array or a single value holds.

    Into which chunks a column is cut does not count. Of many columns, and of long columns that are
    no plain numbers, the two ends are taken.

    Args:
        value: An object of one of pyarrow's own classes.
        name: What the class is called.

    Returns:
        None for what holds no values.
    """
    if name in ("Table", "RecordBatch"):
        names, columns = value.column_names, value.columns
        half = _MOST_COLUMNS // 2
        ends = columns if len(columns) <= _MOST_COLUMNS else columns[:half] + columns[-half:]
        return [names, *map(_values, ends)]
    if name.endswith("Array"):
        return _values(value)
    if not name.endswith("Scalar") or "extension<" in str(value.type):
        return None
    return [str(value.type), value.as_py()]


def _values(column: Any) -> Any:
    import pyarrow as pa

    kind = str(column.type)
    if "extension<" in kind:
        return [kind, len(column)]  # the program's own code would make its values
    is_plain = any(test(column.type) for test in _plain_types(pa.types))
    if is_plain and not column.null_count:
        is_chunked = isinstance(column, pa.ChunkedArray)
        numbers = column.to_numpy() if is_chunked else column.to_numpy(zero_copy_only=False)
        # A buffer of times has no format.
        return [kind, numbers.view("int64") if numbers.dtype.kind in "mM" else numbers]
    if len(column) <= _MOST_OBJECTS:
        return [kind, column.to_pylist()]
    half = _MOST_OBJECTS // 2
    ends = column.slice(0, half), column.slice(len(column) - half)
    return [kind, len(column), *(end.to_pylist() for end in ends)]


def _plain_types(types: Any) -> tuple[Any, ...]:
    """Tests for types that NumPy has numbers or times for."""
    return (
        *(types.is_integer, types.is_floating, types.is_boolean),
        *(types.is_timestamp, types.is_duration, types.is_date),
    )
