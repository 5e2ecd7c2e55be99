"""Waiting for a thread or a process to end, unless it waits for somebody itself."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from threading import Thread
from typing import Any

_FIRST_POLL_SECONDS = 0.0001  # a pool may be asked for thousands of things that take no longer
_POLL_SECONDS = 0.01
_STALLED_SECONDS = 1.0  # without any progress at all
_HANDED_OVER_SECONDS = 0.1  # inside a function of the library that waits for others
_WAITS_IN = ("threading", "queue", "selectors", "socket", "concurrent.futures", "multiprocessing")


def wait_until(
    done: Callable[[], bool], state: Callable[[], tuple[object, bool]], limit: float
) -> bool:
    """Wait until something is done.

    Args:
        done: Asked often at first, then a hundred times a second.
        state: Says how far it is, as anything that can be compared, and whether it waits for
            somebody else in a known way.
        limit: Seconds after which to give up in any case.

    Returns:
        Whether it is done; it is not when it stood still for a second, or for a tenth of one
        while it waits for somebody else.
    """
    started = moved = time.monotonic()
    before: object = None
    pause = _FIRST_POLL_SECONDS
    while not done():
        if pause == _POLL_SECONDS:  # to ask it takes longer than the first pauses
            now = time.monotonic()
            current, waits = state()
            if current != before:
                before, moved = current, now
            if now - started > limit or now - moved > (
                _HANDED_OVER_SECONDS if waits else _STALLED_SECONDS
            ):
                return False
        time.sleep(pause)
        pause = min(2 * pause, _POLL_SECONDS)
    return True


def threads_state(threads: Iterable[Thread]) -> tuple[object, bool]:
    """Where threads stand, and whether each of them waits in the standard library."""
    frames: dict[int, Any] = sys._current_frames()
    places, waits = [], True
    for thread in threads:
        frame = frames.get(thread.ident or -1)
        if frame is None:
            continue
        places.append((thread.ident, id(frame), frame.f_lasti, _cpu_time(thread.native_id)))
        name = str(frame.f_globals.get("__name__") or "")
        waits = waits and name.startswith(_WAITS_IN)
    return places, waits


def process_state(number: int | None) -> tuple[object, bool]:
    """How much processor time a process has used."""
    return _read_cpu_time(Path(f"/proc/{number}/stat")), False


def _cpu_time(native_id: int | None) -> object:
    return _read_cpu_time(Path(f"/proc/self/task/{native_id}/stat"))


def _read_cpu_time(path: Path) -> object:
    try:
        # After the name in parentheses: fields 14 and 15 of proc(5), user and system time.
        fields = path.read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None
    return fields[11:13]
