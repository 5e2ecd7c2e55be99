"""A worker ends with the process that started it, at whatever moment that one was killed.

torch's worker looks whether its parent is still the one it had when it began to wait for batches.
Where the parent was killed before that, the worker has been handed to another process by then,
which never ends: it would wait for ever, and hold on to its memory, files and pipes.
"""

from __future__ import annotations

import multiprocessing
from functools import partial
from typing import Any, Protocol

_NAME = "ManagerWatchdog"


class _Watchdog(Protocol):
    def is_alive(self) -> bool: ...


class _ParentWatchdog:
    """What a worker asks now and then: whether the process that started it still lives."""

    def __init__(self, original: type[_Watchdog]) -> None:
        self._original = original()
        self._parent = multiprocessing.parent_process()

    def is_alive(self) -> bool:
        # Asked anew each time: other workers that were forked later hold the same pipe open, and
        # as long as they live, the parent seems to. They end first, then this one sees.
        parent_lives = self._parent is None or self._parent.is_alive()
        return parent_lives and self._original.is_alive()


def end_with_parent(worker: Any) -> None:
    """Let the loader worker that this process is end where its parent did before it began.

    Args:
        worker: torch's module of that name, where its workers look for their watchdog.
    """
    original = getattr(worker, _NAME, None)
    if original is not None:
        setattr(worker, _NAME, partial(_ParentWatchdog, original))
