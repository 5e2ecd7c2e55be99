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
        all_else_too: Whether everything was pinned, beside a run that let one thing go, or the
            orders of hashes and of addresses together.
    """

    trace: Trace
    pinned: frozenset[str]
    scope: RunScope
    all_else_too: bool = False


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

    def keep_pair(self, trial: Trial, pinned: frozenset[str], scope: RunScope) -> None:
        """Keep both runs of a trial, in which this was pinned; none of an unusable one."""
        if trial.usable:
            self._runs += [MadeRun(trace, pinned, scope) for trace in trial.traces]

    def keep_still(self, trial: Trial, pinned: frozenset[str], scope: RunScope) -> None:
        """Keep the first run of a usable trial, whose second one let one of these pins go."""
        if trial.usable:
            self._runs.append(MadeRun(trial.traces[0], pinned, scope, all_else_too=True))

    def note_same_under_control(self, scope: RunScope, pinned: frozenset[str]) -> None:
        """A run with this pinned came to the bits of one under `samebits run`."""
        self._same_under_control.add((scope, pinned))

    def are_same_under_control(self, scope: RunScope, pinned: frozenset[str]) -> bool:
        """Whether that was noted."""
        return (scope, pinned) in self._same_under_control

    def count(self, pinned: frozenset[str]) -> None:
        """A run with more pinned than this is counted already."""
        self._counted.add(pinned)

    def with_more_pinned(
        self, scope: RunScope, pinned: frozenset[str], *, nothing_else_counts: bool
    ) -> Iterator[MadeRun]:
        """The runs in which more was pinned than this; none if they were asked for before.

        Args:
            scope: Of the runs that are explained; those of another first step are left out.
            pinned: The pins.
            nothing_else_counts: Whether a run diverged that let one of these go, all else pinned.
        """
        if pinned in self._counted:
            return
        self._counted.add(pinned)
        if self.are_same_under_control(scope, pinned) and not nothing_else_counts:
            return  # its pair is of that kind already
        for run in self._runs:
            more = run.pinned > pinned or (run.all_else_too and run.pinned == pinned)
            if more and run.scope.from_step == scope.from_step:
                yield run
