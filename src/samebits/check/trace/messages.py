"""Arrow IPC messages, looked at before Arrow unpacks them.

A few kilobytes may declare gigabytes: each buffer of a compressed message begins with the size that
it will have, and Arrow makes room for that before it looks further. So messages pass through here
first, and only those whose buffers fit into what a run folder can hold go on.

The framing and the tables are those of the Arrow columnar format, "IPC Streaming Format" and
Message.fbs, in FlatBuffers' binary layout.
"""

from __future__ import annotations

import io
import struct
from typing import Any, Protocol

from samebits.check.trace.schema import MAX_BATCH_ROWS

MAX_METADATA_BYTES = 2**24
MAX_MESSAGE_BYTES = 2**28
"""Of one message, unpacked: 65,536 rows of ops.arrow have 5 MB, 4,096 long paths 20 MB."""
FREE_BYTES = 2**26
MAX_RATIO = 200
"""A file may unpack to `FREE_BYTES` and so many times its own size beyond."""

_CONTINUES = 0xFFFFFFFF
_DICTIONARY, _BATCH = 2, 3  # MessageHeader in Message.fbs
_HEADER_TYPE, _HEADER, _BODY_LENGTH = 1, 2, 3  # fields of Message
_DATA = 1  # of DictionaryBatch
_LENGTH, _BUFFERS, _COMPRESSION = 0, 2, 3  # of RecordBatch


class _Source(Protocol):
    def read(self, size: int = -1, /) -> bytes: ...

    def close(self) -> None: ...


class BoundedMessages(io.RawIOBase):
    """Gives out an IPC stream message by message, each once its sizes are known to be bounded.

    Args:
        source: The stream.
        size: Bytes of it.
        rows: The most rows that its batches may hold together.

    Raises:
        ValueError: From `read`: a message is none, or unpacks to more than is allowed.
    """

    def __init__(self, source: _Source, size: int, rows: int) -> None:
        super().__init__()
        self._source = source
        self._left = FREE_BYTES + MAX_RATIO * size
        self._size = size
        self._rows = rows
        self._ready = memoryview(b"")

    def grow(self, size: int, rows: int) -> None:
        """Allow for what a stream has got that is still being written: bytes, and rows."""
        self._left += MAX_RATIO * size
        self._size += size
        self._rows += rows

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; fewer only at the end."""
        pieces = []
        while size != 0:
            if not self._ready and not self._load():
                break
            piece = self._ready if size < 0 else self._ready[:size]
            self._ready = self._ready[len(piece) :]
            pieces.append(piece)
            size -= len(piece) if size > 0 else 0
        return pieces[0].tobytes() if len(pieces) == 1 else b"".join(pieces)

    def readable(self) -> bool:
        """True."""
        return True

    def close(self) -> None:
        """Close the stream."""
        self._source.close()
        super().close()

    def _load(self) -> bool:
        frame = self._source.read(8)
        if len(frame) < 8:
            self._ready = memoryview(frame)
            return bool(frame)
        mark, length = struct.unpack("<II", frame)
        if mark != _CONTINUES or length > min(MAX_METADATA_BYTES, self._size):
            raise ValueError("it holds something that is no message")
        metadata = self._source.read(length)
        body = b""
        if length:
            body_length, batch = _facts(metadata)
            if not 0 <= body_length <= self._size:
                raise ValueError("a message is longer than the file")
            body = self._source.read(body_length)
            if batch is not None:
                self._count(batch, body)
        self._ready = memoryview(frame + metadata + body)
        return True

    def _count(self, batch: _Batch, body: bytes) -> None:
        if not 0 <= batch.rows <= max(MAX_BATCH_ROWS, self._rows):
            raise ValueError(f"a batch has {batch.rows} rows")
        if not batch.is_dictionary:
            self._rows -= batch.rows
            if self._rows < 0:
                raise ValueError("it has more rows than its seals vouch for")
        unpacked = sum(_unpacked(body, *buffer, batch.compressed) for buffer in batch.buffers)
        self._left -= unpacked
        if unpacked > MAX_MESSAGE_BYTES or self._left < 0:
            raise ValueError(
                f"a message of {len(body)} bytes unpacks to {unpacked}, more than is read"
            )


class _Batch:
    """Rows, buffers (offset, length) and compression of a record or dictionary batch."""

    def __init__(self, table: _Table, *, is_dictionary: bool) -> None:
        self.is_dictionary = is_dictionary
        self.rows = table.number(_LENGTH, "<q")
        self.buffers = table.pairs(_BUFFERS)
        self.compressed = table.has(_COMPRESSION)


def _unpacked(body: bytes, offset: int, length: int, compressed: bool) -> int:
    if not 0 <= offset <= offset + length <= len(body):
        raise ValueError("a buffer lies outside of its message")
    if not compressed or length < 8:
        return length
    (size,) = struct.unpack_from("<q", body, offset)
    if size == -1:  # stored as it is
        return length
    if size < 0:
        raise ValueError("a buffer has a negative size")
    return int(size)


def _facts(metadata: bytes) -> tuple[int, _Batch | None]:
    """The length of a message's body, and what it holds where that is a batch."""
    try:
        message = _Table(metadata, struct.unpack_from("<I", metadata)[0])
        kind = message.number(_HEADER_TYPE, "<B")
        length = message.number(_BODY_LENGTH, "<q")
        if kind == _BATCH:
            return length, _Batch(message.table(_HEADER), is_dictionary=False)
        if kind == _DICTIONARY:
            return length, _Batch(message.table(_HEADER).table(_DATA), is_dictionary=True)
    except struct.error as error:
        raise ValueError("a message's description is damaged") from error
    return length, None


class _Table:
    """A FlatBuffers table: fields by number, absent ones being 0."""

    def __init__(self, content: bytes, at: int) -> None:
        self._content = content
        self._at = at
        (back,) = struct.unpack_from("<i", content, at)
        self._fields = at - back
        if self._fields < 0:
            raise struct.error("before its beginning")
        (self._fields_size,) = struct.unpack_from("<H", content, self._fields)

    def _place(self, field: int) -> int:
        slot = 4 + 2 * field
        if slot + 2 > self._fields_size:
            return 0
        (offset,) = struct.unpack_from("<H", self._content, self._fields + slot)
        return self._at + int(offset) if offset else 0

    def has(self, field: int) -> bool:
        return self._place(field) != 0

    def number(self, field: int, form: str) -> int:
        place = self._place(field)
        return int(struct.unpack_from(form, self._content, place)[0]) if place else 0

    def table(self, field: int) -> _Table:
        return _Table(self._content, self._target(field))

    def pairs(self, field: int) -> list[tuple[int, int]]:
        """A vector of structs of two int64."""
        if not self.has(field):
            return []
        at = self._target(field)
        (count,) = struct.unpack_from("<I", self._content, at)
        if at + 4 + 16 * count > len(self._content):
            raise struct.error("a vector beyond the end")
        numbers: tuple[Any, ...] = struct.unpack_from(f"<{2 * count}q", self._content, at + 4)
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def _target(self, field: int) -> int:
        place = self._place(field)
        if not place:
            raise struct.error("a field is missing")
        return place + int(struct.unpack_from("<I", self._content, place)[0])
