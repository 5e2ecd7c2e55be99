"""Attribution: further runs, each with something held still, tell why two runs part."""

from __future__ import annotations

from dataclasses import replace

from samebits.compare.attribution.attribute import Attribution, attribute
from samebits.compare.attribution.evidence import reads_clock
from samebits.compare.attribution.procedure import HELD_BY_RUN, Case
from samebits.compare.attribution.situation import first_situation
from samebits.compare.attribution.together import leave_nothing, may_run_together
from samebits.compare.attribution.trials import Trials, hold_names
from samebits.compare.closer import CloserPair
from samebits.compare.recordings import Recordings
from samebits.compare.verdict import Divergence
from samebits.control import holds
from samebits.record.run import RunOptions, RunResult
from samebits.trace.reader import Trace

__all__ = ["DEFAULT_BUDGET", "Attribution", "explain"]

DEFAULT_BUDGET = 12
"""Further runs that an attribution makes at most."""


def explain(
    recordings: Recordings,
    options: RunOptions,
    runs: tuple[RunResult, RunResult],
    coarse: Divergence | None,
    closer: Divergence,
    closer_pair: CloserPair | None = None,
    *,
    comes_and_goes: bool = False,
    budget: int = DEFAULT_BUDGET,
) -> Attribution:
    """Explain why two runs of a script part.

    Args:
        recordings: Makes further runs.
        options: How the two runs were made.
        runs: The two runs.
        coarse: Where they part; None where only a closer look has shown it.
        closer: The operation behind that, or the same.
        closer_pair: The runs that `closer` was found in, where they are others.
        comes_and_goes: Whether a closer look has met pairs of runs that agree.
        budget: Further runs at most.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    a, b = (Trace.open(run.folder) for run in runs)
    situation = replace(
        first_situation(coarse, closer, (a, b), closer_pair), comes_and_goes=comes_and_goes
    )
    trials = Trials(
        recordings=recordings,
        options=options,
        baseline=runs[0],
        together=may_run_together(a, b),
        budget=budget,
        leaves_nothing=leave_nothing(a, b),
        reads_clock=reads_clock(a),
    )
    already = HELD_BY_RUN if options.control else frozenset[str]()
    case = Case(laboratory=trials, usable=_reaching(closer), already=already)
    return attribute(case, situation)


def _reaching(found: Divergence) -> list[str]:
    """Holds that act where the runs part: in another process only what it inherits."""
    names = hold_names()
    if not found.process:
        return names
    return [name for name in names if not holds.named(name).surroundings().hooks]
