"""The turns of a thread: where it went on after another one of its process had done something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from samebits.check.trace.reader import Trace

KEY = "turns"
"""In the manifest of a thread: `[rows, steps, done]` of each turn, null where not all were kept."""

_NUMBERS = 3


@dataclass(frozen=True)
class Turn:
    """What a thread did before another one of its process did something.

    Attributes:
        done: How many operations and steps the process had done before, on all its threads.
        rows: The thread's own operations of the turn.
        steps: Its own optimizer steps of the turn.
    """

    done: int
    rows: slice
    steps: slice


def turns(trace: Trace) -> list[Turn] | None:
    """The turns of a thread in the order of time.

    Args:
        trace: What the thread has recorded.

    Returns:
        None where they are not known, as in runs of earlier versions.
    """
    noted = trace.manifest.extra.get(KEY)
    if not isinstance(noted, list) or not all(map(_is_turn, noted)):
        return None
    if not noted:
        return [] if not trace.count_ops() and not trace.count_steps() else None
    ends = [*noted[1:], [trace.count_ops(), trace.count_steps(), 0]]
    found = [
        Turn(done, slice(row, end_row), slice(step, end_step))
        for (row, step, done), (end_row, end_step, _) in zip(noted, ends, strict=True)
    ]
    return found if (found[0].rows.start, found[0].steps.start) == (0, 0) else None


def _is_turn(entry: Any) -> bool:
    return (
        isinstance(entry, list)
        and len(entry) == _NUMBERS
        and all(type(number) is int and number >= 0 for number in entry)
    )
