"""Lets a group of processes outlive the replicas that use it, as the recording needs it.

Where a `DistributedDataParallel` module is the last that holds its group (after
`destroy_process_group`, as a function returns), its reducer's destructor ends the group while it
holds the interpreter's lock, and waits for the group's threads. A thread of gloo that still has the
last piece of finished work needs that lock to let go of the Python objects which torch has kept for
it, and there are such objects while a dispatch mode records. Neither would ever go on. A group that
is let go by Python itself gives the lock away first.
"""

from __future__ import annotations

import functools
import itertools
from typing import Any
from weakref import ref

_numbers = itertools.count()
_kept: dict[int, tuple[Any, list[Any]]] = {}


def keep_group_of(module: Any) -> None:
    """Keep the group of a replica until its reducer and its logger are gone.

    Args:
        module: A `DistributedDataParallel` that was just made.
    """
    owners = [getattr(module, name, None) for name in ("reducer", "logger")]
    group = getattr(module, "process_group", None)
    if group is None or None in owners:
        return
    number = next(_numbers)
    waits = [ref(owner, functools.partial(_gone, number)) for owner in owners]
    _kept[number] = group, waits


def _gone(number: int, owner: Any) -> None:
    # pybind11 calls this once the C++ object has been let go.
    kept = _kept.get(number)
    if kept is not None:
        kept[1].remove(owner)
        if not kept[1]:
            del _kept[number]
