"""Stands in front of the functions that start threads.

They are replaced where Python looks them up. The ledger takes the frames of this module for not
there (see `samebits.check.record.sources`): nothing else may be done here.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

from samebits.core.on_import import when_imported

_NAMES = ("start_new_thread", "start_joinable_thread")
"""Names of what starts a thread in `_thread`; `threading` has each with an underscore before it."""

Prepare = Callable[[Callable[..., Any]], Callable[..., Any]]


def install(prepare: Prepare) -> None:
    """Have `prepare` wrap what each thread runs, for as long as the process lives."""
    import _thread

    module: Any = _thread
    for name in _NAMES:
        if hasattr(module, name):
            setattr(module, name, _around(getattr(module, name), prepare))
    when_imported("threading", lambda: _in_threading(prepare))


def _in_threading(prepare: Prepare) -> None:
    import _thread

    threading: Any = sys.modules["threading"]
    for name in _NAMES:
        before = getattr(threading, f"_{name}", None)
        # What was imported before has the original, what comes later the replacement.
        if before is not None and before is not getattr(_thread, name):
            setattr(threading, f"_{name}", _around(before, prepare))


def _around(original: Callable[..., Any], prepare: Prepare) -> Callable[..., Any]:
    @functools.wraps(original)
    def start(function: Any, *args: Any, **kwargs: Any) -> Any:
        return original(prepare(function) if callable(function) else function, *args, **kwargs)

    return start
