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
_SLEEPS_IN = ("hrtimer", "do_nanosleep")
"""Functions of the kernel in which a thread waits for time to pass."""
_COMPUTES = {(b"R",), (b"D",)}
"""States of a thread that runs or would, and of one that waits for a disk."""


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
    """How much processor time a process has used, and whether all its threads wait for others.

    A thread that only sleeps waits for nobody. One that could run but got no processor counts as
    moving on: a busy machine must not make it look as if it stood still.
    """
    threads = list(Path("/proc").glob(f"{number}/task/*/stat"))
    states = {_fields(path)[:1] for path in threads}
    if states & _COMPUTES:
        return object(), False
    asleep = [_waits_inside(path.with_name("wchan")) for path in threads]
    return _read_cpu_time(Path(f"/proc/{number}/stat")), bool(asleep) and all(asleep)


def _waits_inside(path: Path) -> bool:
    """Whether a thread waits in the kernel, and for something else than time."""
    try:
        where = path.read_text()
    except OSError:
        return False
    return where not in ("", "0") and not where.startswith(_SLEEPS_IN)


def _cpu_time(native_id: int | None) -> object:
    return _read_cpu_time(Path(f"/proc/self/task/{native_id}/stat"))


def _read_cpu_time(path: Path) -> object:
    # Fields 14 and 15 of proc(5): user and system time.
    return _fields(path)[11:13]


def _fields(path: Path) -> tuple[bytes, ...]:
    """What /proc says of a process or a thread, after its name in parentheses."""
    try:
        return tuple(path.read_bytes().rpartition(b")")[2].split())
    except OSError:
        return ()
