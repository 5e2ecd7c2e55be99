"""The seals of a run that is still being written: the lines that have come since the last look."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from samebits.check.trace import seal
from samebits.core.files import open_regular
from samebits.core.names import printable
from samebits.errors import TraceError

_MOST_BYTES = 2**20
"""Read in one look; the rest waits for the next."""


class GrowingSeals:
    """Reads a seals.txt to its end, and later on from there.

    Args:
        path: The file; it need not be there yet.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._ends: dict[str, int] = {}

    def new(self) -> Iterator[tuple[str, seal.Frame]]:
        """Files and their frames, in the order in which they were written.

        Raises:
            TraceError: The file cannot be read, or a line makes no sense.
        """
        if not self._path.exists():
            return
        with open_regular(self._path) as file:
            file.seek(self._offset)
            content = file.read(_MOST_BYTES) or b""
        lines = content.split(b"\n")[:-1]  # what stands after the last newline is half a line
        for line in lines:
            is_first, self._offset = self._offset == 0, self._offset + len(line) + 1
            if is_first:
                if line != seal.HEADER.encode():
                    raise self._wrong()
                continue
            try:
                name, frame = seal.frame_of(line)
            except ValueError:
                raise self._wrong() from None
            if frame.end <= self._ends.get(name, 0):
                raise self._wrong()
            self._ends[name] = frame.end
            yield name, frame

    def age(self, now: float) -> float:
        """Seconds since the file was last written; `now` counts as `time.time` does."""
        try:
            return max(now - self._path.stat().st_mtime, 0.0)
        except OSError:
            return 0.0

    def _wrong(self) -> TraceError:
        return TraceError(f"{printable(str(self._path))} is damaged", hint=seal.DAMAGED)
