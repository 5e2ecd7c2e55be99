"""Ends the processes that a run has left behind, whatever group or session they have moved to.

A launcher of ranks puts each in a session of its own; a signal to the group of the script does not
reach them. What reaches all of them is the environment that they were started with: it names the
folder that launcher and processes share.
"""

from __future__ import annotations

import contextlib
import os
import posix
import signal
import time
from collections.abc import Iterator
from pathlib import Path

_ROUNDS = 20
_APART_S = 0.02
"""A process that is being ended may have started another one a moment ago."""


def end_remaining(workspace: str) -> None:
    """Kill every process that belongs to a run.

    Args:
        workspace: The folder that its processes share; no other run has the same.
    """
    for _ in range(_ROUNDS):
        if not kill_others(workspace):
            return
        time.sleep(_APART_S)


def kill_others(workspace: str) -> int:
    """Kill every process of a run but the calling one.

    Args:
        workspace: The folder that its processes share.

    Returns:
        How many were found.
    """
    found = list(_processes_of(workspace))
    for process in found:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # In a process of the run, os.kill asks them first where they stand.
            posix.kill(process, signal.SIGKILL)
    return len(found)


def _processes_of(workspace: str) -> Iterator[int]:
    """Those that were started with the folder in their environment, or were forked from such."""
    sign = os.fsencode(os.path.join(workspace, ""))
    own = os.getpid()
    try:
        entries = [entry for entry in Path("/proc").iterdir() if entry.name.isdecimal()]
    except OSError:  # another system
        return
    for entry in entries:
        if int(entry.name) == own:
            continue
        with contextlib.suppress(OSError):  # another person's, or gone
            if sign in (entry / "environ").read_bytes() and _runs(entry):
                yield int(entry.name)


def _runs(process: Path) -> bool:
    """Whether it is more than what is left until its parent asks how it ended."""
    state = (process / "stat").read_text().rpartition(")")[2].split()[0]
    return state not in ("Z", "X")
