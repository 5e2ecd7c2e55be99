"""Source files, read from this machine's disk for show or for advice.

A run folder from elsewhere may name any file. While one is compared, only those are read whose
digest it holds, and which have that digest still.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path

MAX_BYTES = 8 * 2**20
"""A larger file is no source file; it is not read."""


class UnreadableError(Exception):
    """A file that is not source: the message says why, the line where (1 when unknown)."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


_vouched: ContextVar[Mapping[str, str] | None] = ContextVar("vouched", default=None)


@contextlib.contextmanager
def only_sources(digests: Mapping[str, str]) -> Iterator[None]:
    """Within the block, `read_source` reads the files of these paths with these digests, no more.

    Args:
        digests: SHA-256 of each file, in hexadecimal, by its path.
    """
    token = _vouched.set(digests)
    try:
        yield
    finally:
        _vouched.reset(token)


def read_source(file: str) -> bytes | None:
    """The bytes of a source file.

    Args:
        file: Path of the file, absolute or from the current directory.

    Returns:
        None where it is gone, unreadable, too large or no regular file (a trace from elsewhere may
        name a pipe or a device), and where `only_sources` leaves it out.
    """
    vouched = _vouched.get()
    if vouched is None:
        return _read_regular(file)
    with contextlib.suppress(OSError):  # where a relative path has no folder to begin at
        file = str(Path(file).absolute())
    content = _read_regular(file) if file in vouched else None
    if content is None or sha256(content).hexdigest() != vouched[file]:
        return None
    return content


def _read_regular(file: str) -> bytes | None:
    try:
        return read_bytes(file, MAX_BYTES)
    except UnreadableError:
        return None


def read_bytes(file: str | Path, limit: int) -> bytes:
    """The bytes of a regular file.

    Args:
        file: Its path.
        limit: Size in bytes above which it is not read.

    Raises:
        UnreadableError: It is gone, unreadable, too large or no regular file.
    """
    try:
        # Opening a FIFO blocks until someone writes, unless it is opened so.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError) as error:
        raise UnreadableError(f"cannot be opened: {_reason(error)}") from error
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UnreadableError("is no regular file")
        if status.st_size > limit:
            raise UnreadableError(
                f"is {status.st_size / 2**20:.1f} MiB large; more than {limit // 2**20} MiB "
                "is not read"
            )
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(limit)
    except OSError as error:
        raise UnreadableError(f"cannot be read: {_reason(error)}") from error
    finally:
        os.close(descriptor)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
