"""File descriptors that stay out of a program's way, and are noticed when it has taken them."""

from __future__ import annotations

import os

_LEAST = 400
"""Programs count on getting the lowest numbers for the files that they open."""


class OwnDescriptor:
    """A descriptor of ours in a process that is not.

    Programs close descriptors that they do not know, and get the number for a file of their own.

    Args:
        low: A descriptor that was opened just now; it is moved up.
    """

    def __init__(self, low: int) -> None:
        self.number = moved_up(low)
        found = os.fstat(self.number)
        self._file = (found.st_dev, found.st_ino)

    @property
    def is_ours(self) -> bool:
        """Whether it still leads to the file that it was opened for."""
        try:
            found = os.fstat(self.number)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == self._file

    def close(self) -> None:
        """Close it, if it is still ours."""
        if self.is_ours:
            os.close(self.number)


def moved_up(low: int) -> int:
    """The same file under a high number; as it was where the system allows none."""
    try:
        import fcntl

        high = fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, _LEAST)
    except (ImportError, OSError, AttributeError):  # fewer descriptors are allowed
        return low
    os.close(low)
    return high
