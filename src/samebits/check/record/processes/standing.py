"""Where a process stands when its time is up, or when another one is about to end it.

A process that waits in a collective waits in C++: no Python of its own runs any more. Python's
fault handler writes the stack all the same, when a signal asks it to. Each process of a run opens a
file of the workspace for it, and installs it for a signal that nobody else has a use for, and for
faults in C as long as the script has not imported the module itself.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from samebits.core.descriptors import OwnDescriptor
from samebits.core.on_import import when_imported

ASKS = getattr(signal, "SIGRTMAX", 0) and signal.SIGRTMAX - 6
"""The signal; 0 where the system has none of its kind."""

_PREFIX = "stands."
_UNFINISHED = "~"
_PATIENT_ROUNDS = 200
_ROUNDS = 20
_APART_S = 0.005
_MOST_BYTES = 1 << 20
_open: list[OwnDescriptor] = []
_given_up: list[bool] = []
"""Not empty once the script has asked for the fault handler: what it does is the script's then."""


def tell_where_this_stands(workspace: str) -> None:
    """Have this process write its stack whenever it is asked to.

    Args:
        workspace: The run's folder for its processes.
    """
    if not ASKS:
        return
    path = _path(workspace, os.getpid())
    faulthandler = _fault_handler()
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND | os.O_CLOEXEC
        # A process is asked where the file is there: by then it has to know what is meant.
        descriptor = OwnDescriptor(os.open(path + _UNFINISHED, flags, 0o600))
        faulthandler.register(ASKS, file=descriptor.number, all_threads=True, chain=False)
        if not _given_up and (_open or not faulthandler.is_enabled()):
            # A fault in C ends the process as ever, and leaves its stack behind.
            faulthandler.enable(file=descriptor.number, all_threads=True)
        Path(path + _UNFINISHED).rename(path)
    except (OSError, RuntimeError, ValueError, AttributeError):
        return
    for inherited in _open:
        inherited.close()
    _open[:] = [descriptor]


@functools.cache
def _fault_handler() -> Any:
    """The module, which the script does not find imported because of this."""
    was_there = "faulthandler" in sys.modules
    import faulthandler

    if was_there:
        _given_up.append(True)
    else:
        del sys.modules["faulthandler"]
        when_imported("faulthandler", _give_up)
    return faulthandler


def _give_up() -> None:
    """The script finds the fault handler as it would without samebits."""
    if not _given_up:
        _given_up.append(True)
        sys.modules["faulthandler"].disable()


def tells_no_more(workspace: str) -> None:
    """Another program is about to take this process's place: it would be ended by the signal."""
    with contextlib.suppress(OSError):
        Path(_path(workspace, os.getpid())).unlink()


def ask(workspace: str, processes: Iterable[int], *, patient: bool = False) -> None:
    """Ask processes where they stand, and wait a moment until they have answered.

    Args:
        workspace: The run's folder for its processes.
        processes: Their numbers. Those that do not know the question are not asked.
        patient: Whether to wait longer than somebody would notice.
    """
    sizes: dict[str, int] = {}
    for process in processes:
        path = _path(workspace, process)
        with contextlib.suppress(OSError):
            if Path(path).exists():
                os.kill(process, ASKS)
                sizes[path] = 0
    # The clock is not asked: it may be one that stands still for the script.
    for _ in range(_PATIENT_ROUNDS if patient else _ROUNDS):
        time.sleep(_APART_S)
        now = {path: _size(path) for path in sizes}
        # It writes line after line, and a signal that ends it cuts that short.
        sizes = {path: size for path, size in now.items() if not size or size != sizes[path]}
        if not sizes:
            return


def told(workspace: Path, process: int) -> str:
    """What a process has written; "" where it was not asked, or has not answered.

    Args:
        workspace: The run's folder for its processes.
        process: Its number.
    """
    try:
        with open(_path(str(workspace), process), "rb") as file:
            return file.read(_MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""


def _path(workspace: str, process: int) -> str:
    return os.path.join(workspace, f"{_PREFIX}{process}")


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
