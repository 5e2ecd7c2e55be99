"""Further runs where two that agree were seen to race: they may have agreed by luck."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.check.causes.hand_overs import trained_meanwhile
from samebits.check.diff.artifacts import divergence_beside
from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.run_summary import steps_of
from samebits.check.diff.verdict import Verdict
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.wording import shown_place
from samebits.check.trials.endings import ended_alike
from samebits.check.trials.runner import Runner

_MORE = 3
_NOTE = (
    "weights in training were handed to another thread or process at {place}, and no line was seen "
    "to wait for it: what it reads may go by timing{more}. A copy of what is handed over, by "
    "copy.deepcopy(), removes the doubt"
)
_MADE = ", so more runs were made"


@dataclass(frozen=True)
class RacedRuns:
    """Further runs of a script that races.

    Attributes:
        runs: The runs.
        compared: What comparing the first run of the check with each of them came to.
        note: What to say of them.
    """

    runs: list[RunResult]
    compared: list[Verdict]
    note: str


def raced_runs(
    runner: Runner, results: Sequence[RunResult], compared: Sequence[Verdict]
) -> RacedRuns | None:
    """More runs, until one differs, where a thread may have read weights while they were trained.

    Args:
        runner: Makes further runs, as those of the check were made.
        results: The runs of the check.
        compared: What comparing the first of them with each other one came to.

    Returns:
        None where the runs do not agree, or where no such race was seen.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    if any(one.first_divergence is not None for one in compared) or not ended_alike(results):
        return None
    first = Trace.open(results[0].folder)
    place = _handed_over(first)
    if place is None:
        return None
    more: list[RunResult] = []
    verdicts: list[Verdict] = []
    for number in range(len(results) + 1, len(results) + _MORE + 1):
        label = f"the runs agree, though threads may race for weights; making run {number}"
        run = runner.run(label, f"run-{number}", may_fail=True)
        if run.failure is not None or run.timed_out:
            break  # what it would have come to is not known
        more.append(run)
        other = Trace.open(run.folder)
        verdicts.append(compare_traces(first, other))
        if verdicts[-1].first_divergence or not ended_alike([results[0], run]):
            break
        if divergence_beside(first, other) is not None:
            break
    return RacedRuns(more, verdicts, _NOTE.format(place=place, more=_MADE if more else ""))


def _handed_over(run: Trace) -> str | None:
    """The first line that hands weights over before a step, and does not wait for what follows."""
    steps = steps_of(run)
    for row in run.ledger():
        if row.source != "hand-over" or row.site is None or row.first_step >= steps:
            continue
        if trained_meanwhile(row.site.file, row.site.line):
            return shown_place(row.site.file, row.site.line)
    return None
