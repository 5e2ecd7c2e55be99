"""What small files of numbers and pickles hold, line by line, to be compared beside the clock."""

from __future__ import annotations

import io
import sys
import zipfile
from collections.abc import Iterator
from typing import Any, BinaryIO

from samebits.check.record.processes.pickle_digest import lines_of

_MOST = 2**18
"""Bytes up to which a file is kept."""
_MOST_LINES = 20_000


def lines_of_numbers(file: BinaryIO, size: int) -> tuple[str, ...]:
    """The numbers of `numpy.save` and `savez`, one a line; none of a large file or another one.

    Args:
        file: The file, from its start.
        size: Its length in bytes.
    """
    numpy: Any = sys.modules.get("numpy")
    if numpy is None or size > _MOST:
        return ()
    content = io.BytesIO(file.read())
    try:
        lines = [line for name, array in _arrays(content, numpy) for line in _lines(name, array)]
    except (ValueError, EOFError, OSError, zipfile.BadZipFile):
        return ()
    return tuple(lines) if len(lines) <= _MOST_LINES else ()


def lines_of_pickle(content: bytes) -> tuple[str, ...]:
    """The instructions of a pickle, one a line; none of a large one, or of what is none.

    Args:
        content: The bytes; nothing is loaded.
    """
    if len(content) > _MOST:
        return ()
    try:
        lines = [*lines_of(content)]
    except (ValueError, OverflowError, MemoryError, UnicodeError):
        return ()
    return tuple(lines) if len(lines) <= _MOST_LINES else ()


def _arrays(content: io.BytesIO, numpy: Any) -> Iterator[tuple[str, Any]]:
    if not content.getvalue().startswith(b"PK"):
        yield "", numpy.lib.format.read_array(content, allow_pickle=False)
        return
    with zipfile.ZipFile(content) as archive:
        # A few bytes of zeros may hold more than there is memory for.
        if sum(info.file_size for info in archive.infolist()) > _MOST:
            raise ValueError
        for name in sorted(archive.namelist()):
            with archive.open(name) as entry:
                yield name, numpy.lib.format.read_array(entry, allow_pickle=False)


def _lines(name: str, array: Any) -> Iterator[str]:
    yield f"{name} {array.dtype} {array.shape}"
    yield from map(repr, array.ravel().tolist())
