"""The runs with something pinned that were made where two runs diverge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.scope import RunScope
from samebits.check.trials.attribution.trial import Trial


@dataclass(frozen=True)
class MadeRun:
    """A run that was made.

    Attributes:
        trace: The run.
        pinned: All that was pinned in it.
        scope: How far it went.
    """

    trace: Trace
    pinned: frozenset[str]
    scope: RunScope


class MadeRuns:
    """The runs that were made, and which of them agreed with one under `samebits run`."""

    def __init__(self) -> None:
        self._runs: list[MadeRun] = []
        self._counted: set[frozenset[str]] = set()
        self._same_under_control: set[tuple[RunScope, frozenset[str]]] = set()

    def forget(self) -> None:
        """The runs diverge elsewhere from here on."""
        self._runs.clear()
        self._counted.clear()
        self._same_under_control.clear()

    def keep(self, trial: Trial, pinned: frozenset[str], scope: RunScope, *, runs: int = 1) -> None:
        """Keep the first runs of a trial, in which this was pinned; none of an unusable one."""
        if trial.usable:
            self._runs += [MadeRun(trace, pinned, scope) for trace in trial.traces[:runs]]

    def note_same_under_control(self, scope: RunScope, pinned: frozenset[str]) -> None:
        """A run with this pinned came to the bits of one under `samebits run`."""
        self._same_under_control.add((scope, pinned))

    def are_same_under_control(self, scope: RunScope, pinned: frozenset[str]) -> bool:
        """Whether that was noted."""
        return (scope, pinned) in self._same_under_control

    def count(self, pinned: frozenset[str]) -> None:
        """A run with more pinned than this is counted already."""
        self._counted.add(pinned)

    def with_more_pinned(self, scope: RunScope, pinned: frozenset[str]) -> Iterator[MadeRun]:
        """The runs in which more was pinned than this; none if they were asked for before."""
        if pinned in self._counted:
            return
        self._counted.add(pinned)
        if self.are_same_under_control(scope, pinned):
            return  # its pair is of that kind already
        for run in self._runs:
            if run.pinned > pinned and run.scope.from_step == scope.from_step:
                yield run
