"""How fast a run is recorded, told by how far it was when."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence

_SECONDS = 5.0
"""A rate is that of so many seconds."""

_MOST = 240
"""Looks that are kept for the curve."""


class RecordingPace:
    """Operations and steps a second, look by look."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, int, int]] = deque(maxlen=_MOST)

    def look(self, now: float, steps: int, ops: int) -> None:
        """Note how far a run is.

        Args:
            now: Seconds of a clock that never goes back.
            steps: Steps that have ended.
            ops: Operations recorded.
        """
        if not self._looks or now > self._looks[-1][0]:
            self._looks.append((now, steps, ops))

    def rates(self) -> tuple[float, float] | None:
        """Steps and operations a second over the last seconds; None before the second look."""
        if len(self._looks) < 2:
            return None
        return self._rates_at(len(self._looks) - 1)

    def curve(self) -> Sequence[float]:
        """Operations a second over the last seconds, at each look but the first.

        Rows reach the disk once a second or so: between two looks there are many, or none.
        """
        return [self._rates_at(number)[1] for number in range(1, len(self._looks))]

    def _rates_at(self, number: int) -> tuple[float, float]:
        last = self._looks[number]
        begin = number - 1
        while begin and self._looks[begin - 1][0] >= last[0] - _SECONDS:
            begin -= 1
        first = self._looks[begin]
        seconds = last[0] - first[0]
        return (last[1] - first[1]) / seconds, (last[2] - first[2]) / seconds


def pace_of_timeline(noted: object) -> Sequence[float]:
    """Operations a second between each two entries of a manifest's `timeline`.

    Args:
        noted: Lists of steps, rows and seconds; anything else, as a damaged file has it, is none.
    """
    entries = noted if isinstance(noted, list) else []
    looks = [(entry[2], entry[1]) for entry in entries if _is_entry(entry)]
    return [
        max(after[1] - before[1], 0) / (after[0] - before[0])
        for before, after in itertools.pairwise(looks)
        if after[0] > before[0]
    ]


def _is_entry(entry: object) -> bool:
    return (
        isinstance(entry, list)
        and len(entry) == 3
        and all(isinstance(number, int | float) and abs(number) < 1e15 for number in entry)
    )
