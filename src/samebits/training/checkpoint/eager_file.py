"""Writing a large file so that forcing it to the disk at the end takes little more.

A file is written into memory first, and `fsync` waits while all of it goes to the disk. Here the
disk is told to begin after every few megabytes, so that it works while the next ones are written.
"""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable

EAGER_BYTES = 16 * 2**20
_SYNC_FILE_RANGE_WRITE = 2  # linux/fs.h: start writing what is not yet on its way, and do not wait


class EagerFile:
    """A file that is on its way to the disk while it is written.

    Args:
        descriptor: Open for writing, empty. It stays open.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._begin = self._end = 0

    def write(self, content: memoryview) -> None:
        """Append bytes.

        Raises:
            OSError: The disk is full, or failed.
        """
        while content:
            written = os.write(self._descriptor, content)
            content = content[written:]
            self._end += written
            if self._end - self._begin >= EAGER_BYTES:
                _start(self._descriptor, self._begin, self._end - self._begin)
                self._begin = self._end

    def force(self) -> None:
        """Wait until everything is on the disk.

        Raises:
            OSError: The disk is full, or failed.
        """
        os.fsync(self._descriptor)


def _start(descriptor: int, begin: int, nbytes: int) -> None:
    """Have the disk begin; a system or a file system that cannot will do it all in `force`."""
    call = _sync_file_range()
    if call is not None:
        call(descriptor, begin, nbytes, _SYNC_FILE_RANGE_WRITE)


@functools.cache
def _sync_file_range() -> Callable[[int, int, int, int], int] | None:
    try:
        call = ctypes.CDLL(None).sync_file_range
    except (OSError, AttributeError, TypeError):
        return None  # not Linux, or a C library without it
    call.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int64, ctypes.c_uint]
    call.restype = ctypes.c_int
    return call
