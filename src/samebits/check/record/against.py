"""Compares a run with a recorded one while it runs: step by step, by the digests of each step."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samebits.check.trace.reader import Trace
from samebits.check.trace.recorded_steps import RecordedSteps
from samebits.core.names import printable


class Against:
    """Looks at each step as it ends, and tells of the first one that differs.

    Args:
        folder: The folder of the recorded run.
        seeds: The seeds of this run: under others, generators differ from the start.

    Attributes:
        diverged: Whether a step has differed.

    Raises:
        TraceError: The recorded run is damaged.
    """

    def __init__(self, folder: Path, seeds: Mapping[str, Any]) -> None:
        self._shown = printable(str(folder), 200)
        self._steps = RecordedSteps(Trace.open(folder), seeds)
        self.diverged = False

    def step_recorded(self, row: Mapping[str, Any]) -> None:
        """Compare one step; only what both runs have a digest of counts."""
        if self.diverged:
            return
        differing = self._steps.differing(row)
        if differing:
            self.diverged = True
            what = " and ".join(filter(None, [", ".join(differing[:-1]), differing[-1]]))
            print(
                f"samebits: step {row['step']} differs from {self._shown}: {what}",
                file=sys.__stderr__,
                flush=True,
            )
