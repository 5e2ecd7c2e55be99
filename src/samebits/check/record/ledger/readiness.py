"""Which lines ask whether another thread or process is ready, and what they are told.

The answer goes by timing alone. A line that waits until something is ready asks nothing.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core import _native
from samebits.core.on_import import when_imported

_ASKING = {
    ("queue", "Queue"): ("empty", "full", "qsize", "get_nowait", "put_nowait"),
    ("multiprocessing.queues", "Queue"): ("empty", "full", "qsize", "get_nowait", "put_nowait"),
    ("multiprocessing.connection", "_ConnectionBase"): ("poll",),
    ("multiprocessing.pool", "ApplyResult"): ("ready",),
    ("concurrent.futures._base", "Future"): ("done", "running"),
    ("threading", "Event"): ("is_set",),
    ("threading", "Thread"): ("is_alive",),
}
"""Methods whose answer goes by timing; of the last two of a queue, that they have returned."""


def watch_readiness(watching: Watching, recorder: _native.Recorder) -> None:
    """Watch what the script's own lines ask of queues, pipes, futures, events and threads.

    Args:
        watching: The ledger's watches.
        recorder: The process's recorder.
    """
    source, event = source_code("readiness"), event_code("read")

    def listen(module: str, owner: str) -> None:
        kind: Any = getattr(sys.modules[module], owner, None)
        for name in _ASKING[module, owner]:
            if kind is None or name not in vars(kind):
                continue
            detail = f"{owner.strip('_')}.{name}"

            def told(
                args: tuple[Any, ...], kwargs: dict[str, Any], result: Any, detail: str = detail
            ) -> None:
                # What was taken out of a queue is no answer, though it may be a number.
                answer = 0 if detail.endswith("_nowait") else int(result) + 1
                watching.native.note(source, event, detail, answer, direct=True)

            watching.undo_with(hook_function(recorder, kind, name, CALL, told))

    for module, owner in _ASKING:
        when_imported(module, functools.partial(listen, module, owner))
