"""How many rows a process has recorded, in a file that a kill leaves as it was.

A process that is killed loses the rows that were not flushed. Whether there were any, this tells.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path

_PREFIX = "rows."
_SIZE = 8


class RowCounter:
    """A word of memory that is shared with a file of the workspace.

    Args:
        workspace: The run's folder for its processes.
        token: What the process is called.

    Raises:
        OSError: The file cannot be made.
    """

    def __init__(self, workspace: str, token: str) -> None:
        descriptor = os.open(
            os.path.join(workspace, _PREFIX + token), os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600
        )
        try:
            os.ftruncate(descriptor, _SIZE)
            self._memory = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)
        self._word = ctypes.c_uint64.from_buffer(self._memory)

    @property
    def address(self) -> int:
        """Where the word lies."""
        return ctypes.addressof(self._word)


def rows_counted(workspace: Path, token: str) -> int:
    """The rows that a process had recorded when it ended; 0 where it counted none."""
    try:
        return int.from_bytes((workspace / (_PREFIX + token)).read_bytes()[:_SIZE], "little")
    except OSError:
        return 0
