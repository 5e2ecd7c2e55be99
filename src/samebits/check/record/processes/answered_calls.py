"""Notes that a process runs what others ask it for by RPC, on threads that nobody records.

torch's agents are written in C++ and start their threads by themselves.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.processes.journal import Journal
from samebits.core import _native
from samebits.core.on_import import when_imported

ANSWERS = "answers"
"""The event."""

_INTERNAL, _RUNS = "torch.distributed.rpc.internal", "_run_function"
"""Private: what agents run a function of Python by. Where a new torch calls that otherwise,
`tests/check/record/test_answered_calls.py` would show it."""


def note_answered_calls(native: _native.Recorder, journal: Callable[[], Journal]) -> None:
    """Note it at the first call that this process, or one that it forks, answers.

    Args:
        native: The recorder of the process's first thread.
        journal: Gives the journal of the process that asks.
    """
    noted: set[int] = set()

    def ran(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        if os.getpid() not in noted:
            noted.add(os.getpid())
            journal().note(ANSWERS)

    def imported() -> None:
        if _RUNS in vars(sys.modules[_INTERNAL]):
            hook_function(native, sys.modules[_INTERNAL], _RUNS, CALL, ran)

    when_imported(_INTERNAL, imported)
