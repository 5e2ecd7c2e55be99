"""The variables by which a watcher gets into the processes that a script starts, and out again.

They are in the environment of a new process alone: the script's own `os.environ` never has them,
and the bootstrap takes them away before the first line of the new process runs.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

BOOTSTRAP = str(Path(__file__).resolve().parents[1] / "bootstrap")
"""The folder whose sitecustomize.py Python runs before anything else."""

WATCH = "SAMEBITS_WATCH"
"""Workspace, token, and which file the run's standard output is."""

SEVERAL = "~"
"""At the end of a token: the process is no Python itself, and may start several that are."""

EARLIER_PATH = "SAMEBITS_PYTHONPATH"
"""What PYTHONPATH was; unset where there was none."""


def watched(environment: Mapping[bytes, bytes], workspace: str, token: str) -> dict[bytes, bytes]:
    """A copy of an environment in which a Python process starts a watcher."""
    result = dict(environment)
    earlier = result.get(b"PYTHONPATH")
    if earlier is not None:
        result[EARLIER_PATH.encode()] = earlier
    own = os.fsencode(BOOTSTRAP)
    result[b"PYTHONPATH"] = own if not earlier else own + os.fsencode(os.pathsep) + earlier
    result[WATCH.encode()] = os.fsencode(os.path.join(workspace, token))
    return result


def from_entries(entries: Iterable[bytes]) -> dict[bytes, bytes]:
    """An environment from its entries, "NAME=value" each; of a name that comes twice, the first."""
    result: dict[bytes, bytes] = {}
    for entry in entries:
        name, separator, value = entry.partition(b"=")
        if separator:
            result.setdefault(name, value)
    return result


def to_entries(environment: Mapping[bytes, bytes]) -> list[bytes]:
    """The entries of an environment, as `execve` wants them."""
    return [name + b"=" + value for name, value in environment.items()]
