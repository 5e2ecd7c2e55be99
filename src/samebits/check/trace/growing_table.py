"""One Arrow table of a run that is still being written: batch by batch, as they come."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa

from samebits.check.trace import seal
from samebits.check.trace.batches import ARROW_ERRORS, damaged, next_batch, reading
from samebits.check.trace.messages import BoundedMessages
from samebits.core.names import printable
from samebits.errors import TraceError


class GrowingTable:
    """Reads the frames of a file in order, each as soon as its seal is there, and each once.

    Arrow's reader is asked for a batch only where a frame with a batch lies ready: it never meets
    the end of the file, and nothing here waits.

    Args:
        path: The file.
        columns: The columns that it must have, with their types.
        wanted: The columns to read.
    """

    def __init__(self, path: Path, columns: pa.Schema, wanted: Collection[str]) -> None:
        self._path = path
        self._where = printable(str(path))
        self._columns = columns
        self._wanted = wanted
        self._file: seal.SealedFile | None = None
        self._messages: BoundedMessages | None = None
        self._stream: Any = None

    def read(self, frame: seal.Frame) -> pa.RecordBatch | None:
        """The batch of the next frame; None where it holds none, but the end of the stream.

        Raises:
            TraceError: The file is damaged.
        """
        if self._file is None or self._messages is None:
            self._open(frame)
        else:
            self._messages.grow(frame.end - self._file.size, frame.rows)
            self._file.grow(frame)
        try:
            batch = next_batch(self._stream, self._where)
        except StopIteration:
            if frame.rows:
                raise TraceError(f"{self._where} holds no batch", hint=seal.DAMAGED) from None
            return None
        if batch.num_rows != frame.rows:
            raise TraceError(
                f"{self._where}: a batch has {batch.num_rows} rows, its seal says {frame.rows}",
                hint=seal.DAMAGED,
            )
        return batch

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()

    def _open(self, frame: seal.Frame) -> None:
        try:
            # Which fields stand where is known only from the stream itself.
            with seal.SealedFile(self._path, [frame], allow_cut=False) as file:
                messages = BoundedMessages(file, file.size, file.rows)
                with pa.ipc.open_stream(pa.PythonFile(messages, "r")) as stream:
                    options = reading(stream.schema, self._columns, self._wanted, self._where)
            self._file = seal.SealedFile(self._path, [frame], allow_cut=False)
            self._messages = BoundedMessages(self._file, self._file.size, self._file.rows)
            source = pa.PythonFile(self._messages, "r")
            self._stream = pa.ipc.open_stream(source, options=options)
        except ARROW_ERRORS as error:
            raise damaged(self._where, error) from error
