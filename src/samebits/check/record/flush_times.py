"""When a run's rows go to the disk, so that a kill loses little of them."""

from __future__ import annotations

import math
import time

from samebits.check.record.plan import RunPlan

_SECONDS = 1.0
_EARLY_ROWS = 8192  # until then every flush reaches the disk
_LATE_SECONDS = 5.0
_MANY_ROWS, _MANY_STEPS = 8192, 64


class FlushTimes:
    """Tells when to flush: every second, or, where objects have to lie still, by what was recorded.

    A flush allocates, and what is allocated afterwards lies elsewhere. With the address layout
    fixed, two runs therefore flush after the same operations; a run that somebody may want to read
    when it was killed, and that takes longer than some seconds for these, then too.

    Args:
        plan: The run's plan.
    """

    def __init__(self, plan: RunPlan) -> None:
        self._by_clock = plan.addresses != "fixed"
        self._longest = math.inf if plan.is_further else _LATE_SECONDS
        self._at = -math.inf  # the first step is written at once
        self._rows = self._steps = 0

    def due_after_step(self, steps: int, rows: int) -> bool:
        """Whether to flush now that a step has ended.

        Args:
            steps: Optimizer steps so far.
            rows: Operations so far.
        """
        return self._is_late() or (not self._by_clock and self._are_many(steps, rows))

    def due_with_rows(self, steps: int, rows: int) -> bool:
        """Whether to flush now that rows are written; as `due_after_step`."""
        return rows <= _EARLY_ROWS or self.due_after_step(steps, rows)

    def flushed(self, steps: int, rows: int) -> None:
        """It was done."""
        self._at = time.monotonic()
        self._steps, self._rows = steps, rows

    def _is_late(self) -> bool:
        longest = _SECONDS if self._by_clock else self._longest
        return time.monotonic() - self._at > longest

    def _are_many(self, steps: int, rows: int) -> bool:
        return rows - self._rows >= _MANY_ROWS or steps - self._steps >= _MANY_STEPS
