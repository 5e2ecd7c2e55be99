"""How many rows, steps and collectives a process has come to, in a file that outlives a kill.

A process that is killed loses what was not flushed. Whether there was any, this tells.
"""

from __future__ import annotations

import ctypes
import mmap
import os
from pathlib import Path
from typing import NamedTuple

_PREFIX = "rows."
_WORDS = 4
_SIZE = 8 * _WORDS


class Counted(NamedTuple):
    """What a process had come to.

    Attributes:
        rows: Operations that it had recorded.
        steps: Optimizer steps.
        collectives: How many it had begun in the group of all ranks, at least.
        reduces: Whether a backward pass here all-reduces gradients.
    """

    rows: int = 0
    steps: int = 0
    collectives: int = 0
    reduces: bool = False


class RowCounter:
    """Four words of memory that are shared with a file of the workspace.

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
            # Room is taken now: a store into memory that no room can be found for ends the process.
            os.posix_fallocate(descriptor, 0, _SIZE)
            self._memory = mmap.mmap(descriptor, _SIZE)
        finally:
            os.close(descriptor)
        self._words = (ctypes.c_uint64 * _WORDS).from_buffer(self._memory)

    @property
    def address(self) -> int:
        """Where the rows are counted."""
        return ctypes.addressof(self._words)

    def count_step(self, steps: int, collectives: int | None) -> None:
        """So many optimizer steps are done, and so many collectives had been begun by then."""
        self._words[1] = steps
        if collectives is not None:
            self._words[2] = collectives

    def count_collectives(self, collectives: int) -> None:
        """So many collectives have been begun."""
        self._words[2] = collectives

    def note_reduction(self, reduces: bool) -> None:
        """Whether a backward pass here all-reduces gradients."""
        self._words[3] = reduces


def counted(workspace: Path, token: str) -> Counted:
    """What a process had come to; zeros where it counted nothing."""
    try:
        content = (workspace / (_PREFIX + token)).read_bytes()
    except OSError:
        return Counted()
    rows, steps, collectives, reduces = (
        int.from_bytes(content[begin : begin + 8], "little") for begin in range(0, _SIZE, 8)
    )
    return Counted(rows, steps, collectives, bool(reduces))
