"""Hears when a collective has been waited for: what it has left then is its result."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.core import _native
from samebits.core.on_import import when_imported

_C10D = "torch.distributed.distributed_c10d"


def hear_what_is_waited_for(native: _native.Recorder) -> Callable[[], None]:
    """Note what a collective has left once the call that began it has waited for it.

    torch's functions end with `Work.wait` where `async_op` is False, with no operation in between.
    Where another torch does that otherwise, results are noted at the first look at them, as those
    of asynchronous collectives are; `tests/check/record/test_received.py` would show it.

    Args:
        native: The process's recorder. Collectives of other threads are noted at the first look.

    Returns:
        What ends that again.
    """
    undo: list[Callable[[], None]] = []
    ended: list[bool] = []

    def imported() -> None:
        work: Any = getattr(sys.modules[_C10D], "Work", None)
        if work is not None and "wait" in vars(work) and not ended:
            undo.append(hook_function(native, work, "wait", CALL, waited))

    def waited(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        native.end_synchronous()

    when_imported(_C10D, imported)

    def end() -> None:
        ended.append(True)
        while undo:
            undo.pop()()

    return end
