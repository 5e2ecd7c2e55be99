"""Which lines wait for a time in an event loop: what is ready by then goes by pace."""

from __future__ import annotations

import sys
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core import _native
from samebits.core.on_import import when_imported

_LOOPS = "asyncio.base_events"


def watch_event_loops(watching: Watching, recorder: _native.Recorder) -> None:
    """Watch the timers of asyncio: `sleep`, `wait_for`, `timeout` and `call_later` set one.

    Args:
        watching: The ledger's watches.
        recorder: The process's recorder.
    """
    source, event = source_code("timer"), event_code("start")

    def timer_set(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        watching.native.note(source, event, "asyncio")

    def listen() -> None:
        loops: Any = sys.modules[_LOOPS]
        hook = hook_function(recorder, loops.BaseEventLoop, "call_at", CALL, timer_set)
        watching.undo_with(hook)

    when_imported(_LOOPS, listen)
