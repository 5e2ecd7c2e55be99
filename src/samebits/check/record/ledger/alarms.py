"""Which lines ask the system for a signal after a time: how far the script is then goes by pace."""

from __future__ import annotations

import signal
from functools import partial
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core import _native

_SETTING = ("alarm", "setitimer")
_MILLISECONDS = 1000


def watch_alarms(watching: Watching, recorder: _native.Recorder) -> None:
    """Watch `signal.alarm` and `signal.setitimer`, where they set a time and take none back.

    The amount that is noted is how long they are to wait, in milliseconds.

    Args:
        watching: The ledger's watches.
        recorder: The process's recorder.
    """
    source, event = source_code("clock"), event_code("start")

    def alarm_set(name: str, args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        seconds = args[0] if name == "alarm" else args[1]
        if seconds > 0:
            detail = f"signal.{name}"
            watching.native.note(source, event, detail, amount=round(seconds * _MILLISECONDS))

    for name in _SETTING:
        if hasattr(signal, name):  # Windows has neither
            watching.undo_with(
                hook_function(recorder, signal, name, CALL, partial(alarm_set, name))
            )
