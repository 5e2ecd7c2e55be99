"""How many collectives this process has begun in the group of all ranks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from samebits.check.record.function_hooks import CALL, hook_function
from samebits.core import _native
from samebits.core.on_import import when_imported

_C10D = "torch.distributed.distributed_c10d"


def collectives_begun() -> int | None:
    """Their number, those of `DistributedDataParallel` included; None outside of a group.

    The number is the one that torch gives to the latest, for its own messages. That it can be asked
    for is not documented: where it cannot, none is told.
    """
    distributed: Any = sys.modules.get(_C10D)
    try:
        group = distributed.GroupMember.WORLD
        return None if group is None else int(group._get_sequence_number_for_group())
    except Exception:
        return None


def hear_of_collectives(native: _native.Recorder, count: Callable[[int], None]) -> None:
    """Tell how many were begun each time that one was waited for.

    A process that hangs says nothing any more: what it has told by then is known.

    Args:
        native: The process's recorder.
        count: Told the number of collectives.
    """

    def waited(args: tuple[Any, ...], kwargs: dict[str, Any], result: Any) -> None:
        number = collectives_begun()
        if number is not None:
            count(number)

    def imported() -> None:
        work: Any = getattr(sys.modules[_C10D], "Work", None)
        if work is not None and "wait" in vars(work):
            hook_function(native, work, "wait", CALL, waited)

    when_imported(_C10D, imported)
