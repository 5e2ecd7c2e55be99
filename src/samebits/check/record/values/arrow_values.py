"""Plain values that stand for Arrow's tables and arrays: names of columns, and what they hold."""

from __future__ import annotations

from typing import Any

_MOST_COLUMNS = 256
_MOST_NUMBERS = 1 << 16
_MOST_OBJECTS = 1024
"""Values that are no plain numbers are made into Python's objects one by one."""


def plain_arrow(value: Any, name: str) -> Any:
    """Arrays and lists that hold what a table, a batch, an array or a single value holds.

    Into which chunks a column is cut does not count. Of many columns, and of long columns, the two
    ends are taken; of columns whose values hold others, the length.

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
    if not name.endswith("Scalar") or _holds_others(value.type):
        return None
    return [str(value.type), value.as_py()]


def _values(column: Any) -> Any:
    import pyarrow as pa

    if _holds_others(column.type):
        return [len(column)]
    kind, types = str(column.type), pa.types
    if types.is_temporal(column.type) and not types.is_interval(column.type):
        # Python's times have a range of their own, and a buffer of NumPy's has no format.
        column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
    if _is_plain(column.type) and not column.null_count:
        return [kind, len(column), *(_array(end) for end in _ends(column, _MOST_NUMBERS))]
    return [kind, len(column), *(end.to_pylist() for end in _ends(column, _MOST_OBJECTS))]


def _holds_others(kind: Any) -> bool:
    """Whether values of a type hold others, or are the program's own: its code would make them."""
    import pyarrow as pa

    own = isinstance(kind, pa.BaseExtensionType)
    return bool(own or pa.types.is_nested(kind) or pa.types.is_dictionary(kind))


def _is_plain(kind: Any) -> bool:
    from pyarrow import types

    tests = types.is_integer, types.is_floating, types.is_boolean
    return any(test(kind) for test in tests)


def _ends(column: Any, most: int) -> tuple[Any, ...]:
    if len(column) <= most:
        return (column,)
    return column.slice(0, most // 2), column.slice(len(column) - most // 2)


def _array(column: Any) -> Any:
    import pyarrow as pa

    is_chunked = isinstance(column, pa.ChunkedArray)
    return column.to_numpy() if is_chunked else column.to_numpy(zero_copy_only=False)
