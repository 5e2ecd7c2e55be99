"""Files that processes which are still there have open to write: none that a run has left."""

from __future__ import annotations

import os
import stat
from pathlib import Path

_PROCESSES = Path("/proc")
_WRITING = os.O_WRONLY | os.O_RDWR


def still_written() -> frozenset[tuple[int, int]]:
    """Device and number of each file that some process on this machine is writing.

    The log that samebits itself prints into is one, and that of another job in the same folder.
    Nothing is known of other users' processes, and on systems without /proc.
    """
    found: set[tuple[int, int]] = set()
    for process in _PROCESSES.glob("[0-9]*"):
        try:
            opened = [file.name for file in (process / "fd").iterdir()]
        except OSError:
            continue  # it has ended, or is somebody else's
        for number in opened:
            try:
                status = (process / "fd" / number).stat()
                if stat.S_ISREG(status.st_mode) and _flags(process / "fdinfo" / number) & _WRITING:
                    found.add((status.st_dev, status.st_ino))
            except (OSError, ValueError):
                continue
    return frozenset(found)


def _flags(info: Path) -> int:
    """How a file was opened, which stands there in octal digits."""
    for line in info.read_text().splitlines():
        if line.startswith("flags:"):
            return int(line.partition(":")[2], 8)
    return 0
