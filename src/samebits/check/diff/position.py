"""Where in a run a divergence lies, and whether another one lies beyond it."""

from __future__ import annotations

import math

from samebits.check.diff.verdict import Divergence

_AFTER_ROWS = ("saved", "printed", "exit")


def moved_on(before: Divergence, now: Divergence | None) -> bool:
    """Whether runs that diverged at `before` agree longer under other circumstances.

    Args:
        before: Where the runs diverged.
        now: Where they diverge now; None when they agree.

    Returns:
        True when `now` lies beyond `before`. The same operation on the same line a few rows later
        is the same place: what is pinned may change how many rows come before it. So is another
        place where one run does an operation that the other does not.
    """
    if now is None:
        return True
    if _place(before) == _place(now) and before.step == now.step:
        return False
    if is_flow(before) and is_flow(now):
        return False  # where a race ends a loop is another place each time
    if before.processes != now.processes:
        # Rows of two processes have no order. But another process is looked at only where the
        # script's own one has no operation that gives another result on equal inputs.
        # Of processes, one that does so comes before all that do not.
        others = bool(now.processes) and not now.is_own_doing
        agrees_there = before.is_own_doing and (not before.processes or others)
        return agrees_there or now.step > before.step
    return position(now) > position(before)


def is_alike(before: Divergence, now: Divergence | None) -> bool:
    """Whether runs diverge at the same place as before, or at a step as before, in any step.

    What the pace of a run decides shows there at another step in every pair of runs.
    """
    if now is None:
        return False
    return _place(before) == _place(now) or before.kind == now.kind == "step"


def position(found: Divergence) -> tuple[float, float, int]:
    """Step, row and order among what has no row: larger is later."""
    if found.kind in _AFTER_ROWS:
        return math.inf, math.inf, _AFTER_ROWS.index(found.kind)
    if found.kind == "step":
        return found.step, math.inf, 0
    return found.step, last_row(found), 0


def last_row(found: Divergence) -> int:
    """Number of the later of the two rows."""
    return max((row for row in found.rows if row is not None), default=0)


def is_flow(found: Divergence) -> bool:
    """Whether one run does what the other does not: operations, or whole steps."""
    return found.kind == "inserted" or (found.kind == "step" and found.op == "steps")


def _place(found: Divergence) -> tuple[str, str, str | None, int | None]:
    return found.kind, found.op, found.file, found.line
