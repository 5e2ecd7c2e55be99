"""How far a counterfactual run has to go: to the divergence, or to the script's own end."""

from __future__ import annotations

from dataclasses import dataclass, replace

from samebits.check.diff.position import last_row
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Divergence
from samebits.check.record.plan import RunPlan
from samebits.check.trace.reader import Trace

_NEAR = 2.0
"""The whole script is run where that takes no longer than this many times as long."""
_ROWS_BEYOND = 200
"""Rows after what runs may agree in by luck, such as an operation that only one run has."""
_SHORT_S = 3.0
"""Or at most so many seconds longer: about as long as another process takes to start."""
_OF_A_DRAW_S = 60.0
"""Or where a draw has diverged, so many seconds in all: two runs mostly tell why."""


@dataclass(frozen=True)
class RunScope:
    """What part of the script is run.

    Attributes:
        row: The last operation row; None for none in particular.
        from_step: Operations are recorded from this step on; None: as for the runs that diverged.
        steps: Optimizer steps after which to stop; None for as many as the script takes.
    """

    row: int | None = None
    from_step: int | None = None
    steps: int | None = None

    @property
    def whole(self) -> bool:
        """Whether the script runs to its own end."""
        return self.row is None and self.steps is None

    @property
    def name(self) -> str:
        """The beginning of a folder's name."""
        parts = []
        if self.from_step is not None:
            parts.append(f"step-{self.from_step}")
        if self.row is not None:
            parts.append(f"row-{self.row}")
        elif self.steps is not None:
            parts.append(f"to-step-{self.steps}")
        return "".join(f"{part}-" for part in parts)

    @property
    def words(self) -> str:
        """How far a run of this scope is compared."""
        if self.row is not None:
            return f"to row {self.row}"
        return "whole" if self.steps is None else f"to step {self.steps}"

    def applied(self, options: RunPlan) -> RunPlan:
        """Options of a run that goes as far as this."""
        if self.from_step is not None:
            options = replace(options, level="step", ops_from_step=self.from_step)
        steps = self.steps
        if steps is not None and options.steps is not None:
            steps = min(steps, options.steps)
        return replace(options, stop_row=self.row, steps=options.steps if steps is None else steps)


WHOLE = RunScope()


def up_to(
    found: Divergence, trace: Trace | None = None, *, from_step: int | None = None
) -> RunScope:
    """Up to a divergence, and beyond where runs may agree in it by luck.

    Args:
        found: The divergence.
        trace: One of the runs, where that tells more.
        from_step: Where it was found by recording operations from a step on only, that step.
    """
    if found.processes:
        return WHOLE  # the script's own process cannot know how far another one has come
    may_agree_by_luck = found.detail == PLAIN_ARGUMENTS or (
        trace is not None and _is_one_of_many(found, trace)
    )
    if found.kind == "output" and not may_agree_by_luck:
        return RunScope(row=last_row(found), from_step=from_step)
    if found.kind in ("inserted", "output"):
        # Which operation comes next is one of a few, and so is a number that it is given, such as
        # an index, or the first of the files that a loop reads: runs may agree in it by luck.
        return RunScope(row=last_row(found) + _ROWS_BEYOND, from_step=from_step)
    if found.kind == "step":
        return RunScope(steps=found.step + 1)
    return WHOLE


def _is_one_of_many(found: Divergence, trace: Trace) -> bool:
    """Whether data differ which a line takes from outside, or chooses, one after the other."""
    if not (found.data or found.has_unexplained_inputs) or found.process:
        return False
    begin = last_row(found)
    rows = trace.rows(range(begin, min(begin + 1 + _ROWS_BEYOND, trace.count_ops())))
    return any((row.op, row.site) == (rows[0].op, rows[0].site) for row in rows[1:])


def is_near_the_end(found: Divergence, trace: Trace) -> bool:
    """Whether a run to its end takes little longer than one to the divergence.

    Where runs agree under a pin, they are made again to the end, to see what differs later. It is
    cheaper to do so at once where few runs are to be expected, or where the rest takes no longer
    than they take to start.
    """
    total = float(trace.manifest.seconds)
    reached = seconds_until(found, trace)
    draws = found.random and found.kind == "output" and not found.data
    longest = max(_NEAR * reached, reached + _SHORT_S, _OF_A_DRAW_S if draws else 0.0)
    return total <= longest


def seconds_until(found: Divergence, trace: Trace) -> float:
    """Seconds that a run took to get to a divergence, as far as its timeline tells.

    Between two entries operations are taken to have come evenly; a step is rounded up.
    """
    total = float(trace.manifest.seconds)
    if found.kind not in ("output", "inserted", "step"):
        return total
    before = (0, 0.0)
    for steps, rows, seconds in _timeline(trace):
        if found.kind == "step":
            if steps > found.step:
                return min(seconds, total)
        elif rows > last_row(found) or steps > found.step + 1:
            share = (last_row(found) + 1 - before[0]) / max(rows - before[0], 1)
            return min(before[1] + min(share, 1.0) * (seconds - before[1]), total)
        before = (rows, seconds)
    return total


def _timeline(trace: Trace) -> list[tuple[int, int, float]]:
    noted = trace.manifest.extra.get("timeline")
    result = []
    for entry in noted if isinstance(noted, list) else ():
        numbers = entry if isinstance(entry, list) else []
        if len(numbers) == 3 and all(isinstance(number, int | float) for number in numbers):
            result.append((int(numbers[0]), int(numbers[1]), float(numbers[2])))
    return result
