"""Times of files as a run may see them: in their own order, and the same in every run."""

from __future__ import annotations

import bisect
import os
import sys
from collections.abc import Callable
from types import FrameType

_TIMES = ("mtime", "ctime", "atime")
FILE_TIMES = frozenset(
    {*(f"st_{one}{end}" for one in _TIMES for end in ("", "_ns")), *(f"get{one}" for one in _TIMES)}
)
"""What code calls the time of a file: `st_mtime`, `getmtime`."""

_PACKING = frozenset({"tarfile", "zipfile"})
_STEP_NS = 10_000_000


class FileTimes:
    """Gives each time of a file that is asked for a made-up one, later where the real one is later.

    Which it is goes by the order in which they are asked for, and by their own.

    Args:
        start: The first, in nanoseconds since 1970.
    """

    def __init__(self, start: int) -> None:
        self._start = start
        self._real: list[int] = []
        self._given: list[int] = []

    def of(self, real: int) -> int:
        """The time to see in place of a real one, in nanoseconds since 1970."""
        at = bisect.bisect_left(self._real, real)
        if at < len(self._real) and self._real[at] == real:
            return self._given[at]
        if not self._given:
            given = self._start
        elif at == len(self._given):
            given = self._given[-1] + _STEP_NS
        elif at == 0:
            given = self._given[0] - _STEP_NS
        else:
            given = (self._given[at - 1] + self._given[at]) // 2
        self._real.insert(at, real)
        self._given.insert(at, given)
        return given

    def held(self, found: os.stat_result) -> os.stat_result:
        """What the system says of a file, with other times."""
        times = {one: self.of(getattr(found, f"st_{one}_ns")) for one in _TIMES}
        whole = [*found[:7], *(times[one] // 10**9 for one in ("atime", "mtime", "ctime"))]
        named: dict[str, float] = {f"st_{one}_ns": value for one, value in times.items()}
        named |= {f"st_{one}": value / 10**9 for one, value in times.items()}
        for name in ("st_blksize", "st_blocks", "st_rdev"):
            named[name] = getattr(found, name, 0)
        return os.stat_result(whole, named)


def asks_for_file_times(is_users: Callable[[FrameType], bool]) -> bool:
    """Whether user code that names a file's time asks, by itself or by a function made for it.

    Whatever looks whether a file is there is told its times as well; caches go by them. A module
    that packs files writes their times into the archive, for whoever calls it.

    Args:
        is_users: Tells whether a frame runs code of the user's.
    """
    frame: FrameType | None = sys._getframe(1)
    packed = False
    while frame is not None:
        module = str(frame.f_globals.get("__name__") or "")
        if module.startswith("samebits."):
            frame = frame.f_back
            continue
        if module in _PACKING or (packed and module == "shutil"):
            packed, frame = True, frame.f_back
            continue
        if is_users(frame):
            return packed or not FILE_TIMES.isdisjoint(frame.f_code.co_names)
        name = frame.f_code.co_name
        gives = module == "genericpath" and name in FILE_TIMES
        if not gives and not (module.partition(".")[0] == "pathlib" and name in ("stat", "lstat")):
            return False
        frame = frame.f_back
    return False
