"""Where in a run folder the operations of its other processes are: a run folder for each."""

from __future__ import annotations

import re
from pathlib import Path

_FOLDER = "processes"
_TOKEN = re.compile(r"0(\.\d+(~\d+)?)+")


def process_folder(run: Path, token: str) -> Path:
    """The folder of a process that the run has started.

    Args:
        run: The run folder.
        token: What the manifest's `processes` calls it: "0.3.1" is the first one that the third of
            the script's own process has started.

    Raises:
        ValueError: It is no such name.
    """
    if not _TOKEN.fullmatch(token):
        raise ValueError(f"{token!r} names no process")
    return run / _FOLDER / token
