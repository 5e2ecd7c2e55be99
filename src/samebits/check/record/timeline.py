"""How far a run was when."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator

_TIMES_APART = 1.1
_MOST = 256
"""Entries: a tenth of a millisecond at first, and a tenth later each, this is 30 days."""


class Timeline:
    """Notes it rarer and rarer.

    Room is taken at the beginning: what is allocated when a note is made would lie where objects of
    the script lie in another run, which takes its notes at other operations.
    """

    def __init__(self) -> None:
        self._steps = array("q", bytes(8 * _MOST))
        self._rows = array("q", bytes(8 * _MOST))
        self._at = array("d", bytes(8 * _MOST))
        self._at[0] = time.monotonic()
        self._length = 1

    def note(self, steps: int, rows: int) -> None:
        """So many optimizer steps and operations are done now."""
        first, last = self._at[0], self._at[self._length - 1]
        now = time.monotonic()
        if self._length < _MOST and now - first >= _TIMES_APART * (last - first):
            self._steps[self._length], self._rows[self._length] = steps, rows
            self._at[self._length] = now
            self._length += 1

    def __iter__(self) -> Iterator[tuple[int, int, float]]:
        """Steps, operations and `time.monotonic()` of each note."""
        entries = zip(self._steps, self._rows, self._at, strict=True)
        return iter([entry for entry, _ in zip(entries, range(self._length), strict=False)])
