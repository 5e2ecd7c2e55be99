"""Where in a run folder the operations of its other processes and threads are."""

from __future__ import annotations

import re
from pathlib import Path

from samebits.check.trace.values_format import MAIN_PROCESS

PROCESSES_FOLDER = "processes"
"""In a run folder."""

_FIRST = re.compile(r"0[.+]\d+(~\d+)?")
_TOKEN = re.compile(r"0(?=[.+])(\.\d+(~\d+)?)*(\+\d+)?")


def owner_of(token: str) -> str:
    """The process that a thread belongs to; a process belongs to itself."""
    return token.partition("+")[0]


def started_by_script(token: str) -> str:
    """The process or thread that the script's own process has started, in whose line this one is.

    Args:
        token: The name of a process or thread: for "0.3.1" and "0.3+2" it is "0.3".
    """
    found = _FIRST.match(token)
    return found.group() if found is not None else token


def folder_of(run: Path, token: str) -> Path:
    """The folder of the script's own process, which is that of the run, or of another one.

    Args:
        run: The run folder.
        token: "0" for the script's own; else as for `process_folder`.

    Raises:
        ValueError: It is no such name.
    """
    return run if token == MAIN_PROCESS else process_folder(run, token)


def process_folder(run: Path, token: str) -> Path:
    """The folder of a process, or of a thread, that the run has started.

    Args:
        run: The run folder.
        token: What the manifest's `processes` calls it: "0.3.1" is the first one that the third of
            the script's own process has started, "0.3+2" the second of its threads.

    Raises:
        ValueError: It is no such name.
    """
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"{token!r} names no process")
    return run / PROCESSES_FOLDER / token
