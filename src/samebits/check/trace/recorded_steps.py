"""The steps of a recorded run, for another one to be held against while it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_DIGESTS, STEP_KINDS

_STEP = STEP_KINDS.index("step")


class RecordedSteps:
    """The digests of the steps of a run.

    Args:
        trace: The recorded run.
        seeds: The seeds of the other run: under others, generators differ from the start.

    Raises:
        TraceError: The recorded run is damaged.
    """

    def __init__(self, trace: Trace, seeds: Mapping[str, Any]) -> None:
        steps = trace.steps()
        self._count = int((steps["kind"] == _STEP).sum())
        same_seeds = trace.manifest.seeds == seeds
        names = [name for name in STEP_DIGESTS if name != "generators" or same_seeds]
        self._digests = {name: steps[name].tolist() for name in names}

    def __len__(self) -> int:
        return self._count

    def differing(self, row: Mapping[str, Any]) -> list[str]:
        """The digests that are not those of the recorded step of the same number.

        Args:
            row: A step: `step` and its digests. Only what both runs have a digest of counts.
        """
        step = row["step"]
        if step >= self._count:
            return []
        return [
            name
            for name, known in self._digests.items()
            if row.get(name) and known[step] and row[name] != known[step]
        ]
