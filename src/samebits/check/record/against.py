"""Compares a run with a recorded one while it runs: step by step, by the digests of each step."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_DIGESTS, STEP_KINDS
from samebits.core.names import printable

_STEP = STEP_KINDS.index("step")


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
        trace = Trace.open(folder)
        steps = trace.steps()
        self._shown = printable(str(folder), 200)
        self._count = int((steps["kind"] == _STEP).sum())
        same_seeds = trace.manifest.seeds == seeds
        self._names = [name for name in STEP_DIGESTS if name != "generators" or same_seeds]
        self._digests = {name: steps[name].tolist() for name in self._names}
        self.diverged = False

    def step_recorded(self, row: Mapping[str, Any]) -> None:
        """Compare one step; only what both runs have a digest of counts."""
        step = row["step"]
        if self.diverged or step >= self._count:
            return
        differing = [
            name
            for name in self._names
            if row.get(name)
            and self._digests[name][step]
            and row[name] != self._digests[name][step]
        ]
        if differing:
            self.diverged = True
            what = " and ".join(filter(None, [", ".join(differing[:-1]), differing[-1]]))
            print(
                f"samebits: step {step} differs from {self._shown}: {what}",
                file=sys.__stderr__,
                flush=True,
            )
