"""Checksums of the run folder's Arrow files: damage is found before Arrow parses a byte.

Arrow's reader trusts lengths that stand in the file. A damaged one can make it allocate absurd
amounts or worse, so nothing is given to it that was not written by `samebits`. seals.txt has one
line for each flushed frame (the stream's schema, a batch with its dictionaries, the end mark)::

    samebits.seals/1
    sites.arrow 432 0 5d41402abc4b2a76b9719d911017c592
    ops.arrow 1288 0 7d793037a0760186574b0282f2f435e7
    ops.arrow 90312 4096 9e107d9d372bb6826bd81d3542a419d6

that is: file, end of the frame in bytes, rows in the frame, digest. A digest is
blake2b-128(previous digest of that file ‖ end ‖ rows ‖ the frame's bytes), integers as 8 bytes
little-endian, so that lines cannot be dropped, doubled or swapped unseen.

A frame is written before its line. A process that is killed in between leaves bytes without a
line, or half a line; both are ignored, and what came before them stays readable.
"""

from __future__ import annotations

import io
import os
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from samebits.core.files import open_regular, read_regular
from samebits.core.names import printable
from samebits.errors import TraceError

HEADER = "samebits.seals/1"
DIGEST_BYTES = 16
MAX_BYTES = 2**30
"""A larger seals.txt is not read: a line stands for a whole batch."""
DAMAGED = "The run folder is damaged or was edited; record the run again, or copy it again."
"""What to do about it."""


@dataclass(frozen=True)
class Frame:
    """A piece of a file that was flushed as a whole.

    Attributes:
        end: Offset of the first byte after it.
        rows: Table rows in it; 0 for the stream's schema and its end mark.
        digest: Chained digest, 16 bytes.
    """

    end: int
    rows: int
    digest: bytes


def chain(previous: bytes, end: int, rows: int, *chunks: bytes | bytearray | memoryview) -> bytes:
    """The digest of a frame, given that of the frame before it (b"" for the first)."""
    state = blake2b(previous, digest_size=DIGEST_BYTES)
    state.update(end.to_bytes(8, "little") + rows.to_bytes(8, "little"))
    for chunk in chunks:
        state.update(chunk)
    return state.digest()


def read_seals(path: Path) -> dict[str, list[Frame]]:
    """The frames of every file of one process, in the order in which they were written.

    Args:
        path: A `seals.txt`.

    Raises:
        TraceError: The file is missing, foreign, or a line of it makes no sense.
    """
    text = read_regular(path, MAX_BYTES, "A run folder holds a seals.txt; copy the whole folder.")
    lines = text.split(b"\n")[:-1]  # What stands after the last newline is half a line.
    if not lines or lines[0] != HEADER.encode():
        if HEADER.encode().startswith(text):
            return {}  # Killed while the very first line was written.
        raise TraceError(f"{printable(str(path))} does not start with '{HEADER}'", hint=DAMAGED)
    frames: dict[str, list[Frame]] = {}
    for number, line in enumerate(lines[1:], 2):
        try:
            name, frame = frame_of(line)
            known = frames.setdefault(name, [])
            if frame.end <= (known[-1].end if known else 0):
                raise ValueError(line)
        except ValueError as error:
            raise TraceError(f"{printable(str(path))}:{number} is damaged", hint=DAMAGED) from error
        known.append(frame)
    return frames


def frame_of(line: bytes) -> tuple[str, Frame]:
    """What a line of seals.txt vouches for: a file's name and a frame of it.

    Raises:
        ValueError: The line makes no sense.
    """
    name, end, rows, digest = line.decode("ascii").split(" ")
    frame = Frame(_decimal(end), _decimal(rows), bytes.fromhex(digest))
    if len(frame.digest) != DIGEST_BYTES:
        raise ValueError(line)
    return name, frame


def _decimal(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise ValueError(text)
    return int(text)


class SealedFile(io.RawIOBase):
    """Reads a sealed file; gives out only bytes whose digest was right.

    Memory is bounded by the largest frame, and a frame by the size of the file.

    Args:
        path: The file.
        frames: Its frames, out of `read_seals`.
        allow_cut: Whether the file may end before its last frame does, as after a kill or a
            partial copy; it is then read up to its last whole frame.

    Raises:
        TraceError: The file cannot be opened, or is shorter than its frames say.
    """

    def __init__(self, path: Path, frames: Sequence[Frame], *, allow_cut: bool) -> None:
        super().__init__()
        self._path = path
        self._file = open_regular(path)
        size = os.fstat(self._file.fileno()).st_size
        self._frames = [frame for frame in frames if frame.end <= size]
        if len(self._frames) < len(frames) and not allow_cut:
            self._file.close()
            raise TraceError(
                f"{printable(str(path))} ends after {size} bytes, "
                f"but the run wrote {frames[-1].end}",
                hint=DAMAGED,
            )
        self.rows = sum(frame.rows for frame in self._frames)
        self.size = self._frames[-1].end if self._frames else 0
        self._next = 0
        self._frame = memoryview(b"")
        self._position = 0

    def grow(self, frame: Frame) -> None:
        """Take in one more frame of a file that is still being written."""
        self._frames.append(frame)
        self.rows += frame.rows
        self.size = frame.end

    @property
    def frames(self) -> Sequence[Frame]:
        """The frames that are really there."""
        return self._frames

    def _load(self) -> bool:
        if self._next == len(self._frames):
            return False
        frame = self._frames[self._next]
        start, previous = 0, b""
        if self._next:
            before = self._frames[self._next - 1]
            start, previous = before.end, before.digest
        content = bytearray(frame.end - start)
        view = memoryview(content)
        filled = 0
        while filled < len(content):
            try:
                count = self._file.readinto(view[filled:])
            except OSError as error:
                raise TraceError(
                    f"cannot read {printable(str(self._path))}: {error.strerror}"
                ) from error
            if not count:
                break
            filled += count
        if filled < len(content) or chain(previous, frame.end, frame.rows, view) != frame.digest:
            raise TraceError(
                f"{printable(str(self._path))}: bytes {start} to {frame.end} are not "
                "what the run wrote",
                hint=DAMAGED,
            )
        self._next += 1
        self._frame = view
        self._position = 0
        return True

    def read(self, size: int = -1, /) -> bytes:
        """Up to `size` bytes; fewer only at the end of the last whole frame."""
        pieces = []
        while size != 0:
            left = len(self._frame) - self._position
            if left == 0:
                if not self._load():
                    break
                continue
            count = left if size < 0 else min(size, left)
            pieces.append(self._frame[self._position : self._position + count])
            self._position += count
            size -= count if size > 0 else 0
        return pieces[0].tobytes() if len(pieces) == 1 else b"".join(pieces)

    def readinto(self, buffer: Any, /) -> int:
        """Fill `buffer`; the number of bytes that were left for it."""
        content = self.read(len(buffer))
        buffer[: len(content)] = content
        return len(content)

    def readable(self) -> bool:
        """True."""
        return True

    def close(self) -> None:
        """Close the file."""
        file = getattr(self, "_file", None)
        if file is not None:
            file.close()
        super().close()
