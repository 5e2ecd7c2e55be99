"""Arrow IPC streams that are taken out frame by frame, to be sealed and written."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from samebits.check.trace import seal


class FrameStream:
    """The content of one Arrow file while it grows.

    Attributes:
        name: Its name in the run folder.
        size: Bytes sealed so far.
        rows: Rows sealed so far.
        digest: Digest of the last frame, b"" before the first.
    """

    def __init__(self, name: str, columns: pa.Schema) -> None:
        self.name = name
        self.size = 0
        self.rows = 0
        self.digest = b""
        self._schema = columns
        self._sink = _Chunks()
        # Threads would be started in the traced process, which may fork at any time.
        options = pa.ipc.IpcWriteOptions(
            compression=pa.Codec("zstd", compression_level=1), use_threads=False
        )
        self._writer = pa.ipc.new_stream(pa.PythonFile(self._sink, "w"), columns, options=options)

    def encode(self, arrays: Sequence[pa.Array]) -> bytes:
        """The bytes of a batch with these columns, and of whatever comes before it."""
        self._writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=self._schema))
        return self._take()

    def finish(self) -> bytes:
        """The bytes that end the stream."""
        self._writer.close()
        return self._take()

    def sealed(self, content: bytes, rows: int) -> str:
        """Count a frame in that has been written, and return the line that vouches for it."""
        self.size += len(content)
        self.rows += rows
        self.digest = seal.chain(self.digest, self.size, rows, content)
        return f"{self.name} {self.size} {rows} {self.digest.hex()}"

    @property
    def claim(self) -> dict[str, Any]:
        """What the manifest says of the whole file."""
        return {"bytes": self.size, "rows": self.rows, "digest": self.digest.hex()}

    def _take(self) -> bytes:
        chunks, self._sink.chunks = self._sink.chunks, []
        return b"".join(chunks)


class _Chunks(io.RawIOBase):
    """A sink that keeps what is written to it."""

    def __init__(self) -> None:
        super().__init__()
        self.chunks: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, content: Any, /) -> int:
        self.chunks.append(bytes(content))
        return len(content)
