"""Which lines ask whether another thread or process is ready, and what they are told.

The answer goes by timing alone. A line that waits until something is ready asks nothing.
"""

from __future__ import annotations

from typing import Any

from samebits.check.record.ledger.methods import watch_methods
from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core import _native

_ASKING = {
    ("queue", "Queue"): ("empty", "full", "qsize", "get_nowait", "put_nowait"),
    ("multiprocessing.queues", "Queue"): ("empty", "full", "qsize", "get_nowait", "put_nowait"),
    ("multiprocessing.connection", "_ConnectionBase"): ("poll",),
    ("multiprocessing.pool", "ApplyResult"): ("ready",),
    ("concurrent.futures._base", "Future"): ("done", "running"),
    # What a collective or a message that goes on in the background returns.
    ("torch.distributed.distributed_c10d", "Work"): ("is_completed",),
    ("torch.futures", "Future"): ("done",),
    ("threading", "Event"): ("is_set",),
    ("threading", "Thread"): ("is_alive",),
}
"""Methods whose answer goes by timing; of the last two of a queue, that they have returned."""


def watch_readiness(watching: Watching, recorder: _native.Recorder) -> None:
    """Watch what the script's own lines ask of queues, pipes, futures, transfers and threads.

    Args:
        watching: The ledger's watches.
        recorder: The process's recorder.
    """
    source, event = source_code("readiness"), event_code("read")

    def asked(method: str, given: tuple[Any, ...], result: Any) -> None:
        # What was taken out of a queue is no answer, though it may be a number.
        answer = 0 if method.endswith("_nowait") else int(result) + 1
        watching.native.note(source, event, method, answer, direct=True)

    watch_methods(watching, recorder, _ASKING, asked)
