"""Hooks in the Python processes that a script starts: what is pinned there as in its own process.

Forked processes have their parent's. The others find what to install in a file of the workspace,
before their first line runs.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from samebits.core.interposition.surroundings import HookSpec

INHERITED = frozenset(
    {"clock", "entropy", "listing", "seeds", "sqlite-clock", "sqlite-random", "usage"}
)
"""Hooks that act in whatever Python process a script starts: each says what a process is told."""

_FILE = "hooks.json"
_NUMBER = re.compile(r"\d+")


def hand_on(workspace: str, specs: Iterable[HookSpec]) -> None:
    """Leave word of what to install in processes that are started from now on.

    Args:
        workspace: The run's folder for its processes.
        specs: What acts in the script's own process.
    """
    chosen = [dataclasses.asdict(spec) for spec in specs if spec.name in INHERITED]
    if chosen:
        Path(workspace, _FILE).write_text(json.dumps(chosen))


def install_inherited(workspace: str, token: str, is_user: Callable[[str], bool]) -> None:
    """Install them in this process.

    Args:
        workspace: The run's folder for its processes.
        token: What this process is called: "0.3.1". Each draws numbers of its own, and a rank those
            of its rank, on whatever machine it is.
        is_user: Tells the script's own files.
    """
    try:
        specs = json.loads(Path(workspace, _FILE).read_text())
    except FileNotFoundError:
        return
    # Imported now: most processes have none, and it takes longer than their start.
    from samebits.check.hooks import install
    from samebits.core.interposition.surroundings import HookSpec

    _, *place = map(int, _NUMBER.findall(token))
    rank = os.environ.get("RANK", "")
    if rank.isdecimal() and len(rank) < 10:
        # Ranks on other machines have the same tokens. Negative: no process is counted like that.
        place[0] = -1 - int(rank)
    install([HookSpec(**spec) for spec in specs], is_user, process=tuple(place))
