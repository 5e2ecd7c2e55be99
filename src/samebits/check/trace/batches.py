"""The batches of a table, checked against its schema and its seals as they are read."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import pyarrow as pa

from samebits.check.trace import seal
from samebits.check.trace.messages import BoundedMessages
from samebits.core.names import printable
from samebits.errors import TraceError

# What pyarrow raises on bad input, beyond ArrowException: its errors derive from these.
ARROW_ERRORS = (pa.ArrowException, ValueError, TypeError, KeyError, OSError, MemoryError)


def iter_batches(
    sealed: Callable[[], seal.SealedFile],
    where: str,
    columns: pa.Schema,
    wanted: Collection[str],
    *,
    most: int | None = None,
) -> Iterator[pa.RecordBatch]:
    """Validated batches of a file, one at a time.

    Args:
        sealed: Opens the file; called twice, since which fields stand where is known only from the
            stream itself.
        where: The file, as messages name it.
        columns: The columns that the file must have, with their types.
        wanted: The columns to read; the others are not even decompressed.
        most: So many rows at the most are read.

    Raises:
        TraceError: The file is damaged, of another schema, or has too many rows.
    """
    with sealed() as file:
        if not file.frames:
            return
        if most is not None and file.rows > most:
            raise TraceError(
                f"{where} holds {file.rows} rows; more than {most} are not read",
                hint=seal.DAMAGED,
            )
        rows = 0
        try:
            # Which fields stand where is known only from the stream itself.
            with pa.ipc.open_stream(_bounded(file)) as stream:
                found = stream.schema
        except ARROW_ERRORS as error:
            raise damaged(where, error) from error
        options = reading(found, columns, wanted, where)
    with sealed() as file:
        total = file.rows
        try:
            stream = pa.ipc.open_stream(_bounded(file), options=options)
        except ARROW_ERRORS as error:
            raise damaged(where, error) from error
        while True:
            try:
                batch = next_batch(stream, where)
            except StopIteration:
                break
            rows += batch.num_rows
            yield batch
        if rows != total:
            raise TraceError(f"{where} holds {rows} rows, its seals say {total}", hint=seal.DAMAGED)


def next_batch(stream: Any, where: str) -> pa.RecordBatch:
    """The next batch of a stream, validated.

    Raises:
        StopIteration: There is none.
        TraceError: It is damaged.
    """
    try:
        batch = stream.read_next_batch()
        batch.validate(full=True)
    except StopIteration:
        raise
    except ARROW_ERRORS as error:
        raise damaged(where, error) from error
    if any(column.null_count for column in batch.columns):
        raise TraceError(f"{where} holds nulls", hint=seal.DAMAGED)
    return batch


def damaged(where: str, error: BaseException) -> TraceError:
    """What becomes of an error of Arrow's: the file, and what Arrow says."""
    return TraceError(f"{where} cannot be read: {printable(str(error), 200)}", hint=seal.DAMAGED)


def _bounded(file: seal.SealedFile) -> pa.PythonFile:
    return pa.PythonFile(BoundedMessages(file, file.size, file.rows), "r")


def reading(
    found: pa.Schema, columns: pa.Schema, wanted: Collection[str], where: str
) -> pa.ipc.IpcReadOptions:
    """How to read the wanted columns of a stream, and no others.

    Args:
        found: The stream's own schema.
        columns: The columns that it must have, with their types.
        wanted: Some of them.
        where: The file, as messages name it.

    Raises:
        TraceError: A column is missing, or of another type.
    """
    for field in columns:
        index = found.get_field_index(field.name)
        if index < 0:
            raise TraceError(f"{where} has no column '{field.name}'", hint=seal.DAMAGED)
        if found.field(index).type != field.type:
            raise TraceError(
                f"{where}: column '{field.name}' is {found.field(index).type}, "
                f"expected {field.type}",
                hint=seal.DAMAGED,
            )
    fields = [found.get_field_index(column) for column in wanted]
    return pa.ipc.IpcReadOptions(included_fields=fields)
