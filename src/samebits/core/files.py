"""Opening what lies in a run folder: regular files only, every failure a `TraceError`."""

from __future__ import annotations

import io
import os
import stat
from pathlib import Path

from samebits.core.names import printable
from samebits.errors import TraceError

COPY_IT_WHOLE = "The file belongs to a run folder; copy the whole folder."


def open_regular(path: Path, hint: str = COPY_IT_WHOLE) -> io.FileIO:
    """Open a file for reading, unbuffered.

    A folder from elsewhere may hold a pipe or a device under a familiar name; opening or reading
    one could wait for ever.

    Args:
        path: The file.
        hint: What to do where it cannot be read.

    Raises:
        TraceError: It is missing, not readable, or no regular file.
    """
    try:
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
    except OSError as error:
        raise TraceError(
            f"cannot read {printable(str(path))}: {error.strerror}", hint=hint
        ) from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise TraceError(f"cannot read {printable(str(path))}: it is no regular file", hint=hint)
    return os.fdopen(descriptor, "rb", buffering=0)


def read_regular(path: Path, limit: int, hint: str = COPY_IT_WHOLE) -> bytes:
    """All of a file of at most `limit` bytes.

    Raises:
        TraceError: As `open_regular`; or the file is larger.
    """
    with open_regular(path, hint) as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            raise TraceError(
                f"{printable(str(path))} has {size} bytes; more than {limit} are not read",
                hint=hint,
            )
        try:
            pieces = []
            while piece := file.read(limit):
                pieces.append(piece)
        except OSError as error:
            raise TraceError(
                f"cannot read {printable(str(path))}: {error.strerror}", hint=hint
            ) from error
    return b"".join(pieces)
