"""Source files that a trace names, read from this machine's disk: only those that are the run's.

A run folder from elsewhere may name any file. While one is compared, a file is read for show or for
advice only if a manifest holds its digest and it has that digest still.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samebits.check.trace.manifest import Manifest

MAX_BYTES = 8 * 2**20
"""A larger file is no source file; it is not read."""

_vouched: ContextVar[Mapping[str, str] | None] = ContextVar("vouched", default=None)


@contextlib.contextmanager
def only_sources_of(manifests: Iterable[Manifest]) -> Iterator[None]:
    """Within the block, `read_source` reads what these manifests hold the digest of, no more.

    Args:
        manifests: Where several hold a file, the first has the word: lines that are shown are its.
    """
    known: dict[str, str] = {}
    for manifest in manifests:
        for entry in (manifest.script, *manifest.code):
            path, digest = entry.get("path"), entry.get("sha256")
            if isinstance(path, str) and isinstance(digest, str):
                known.setdefault(path, digest)
    token = _vouched.set(known)
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
        name a pipe or a device), and where `only_sources_of` leaves it out.
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
        # Opening a FIFO blocks until someone writes, unless it is opened so.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return None
        with open(descriptor, "rb", closefd=False) as stream:
            return stream.read(MAX_BYTES)
    except OSError:
        return None
    finally:
        os.close(descriptor)
