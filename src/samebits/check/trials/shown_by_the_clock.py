"""Runs that differ in what modules gave, in some steps, and in nothing else.

A script may ask its model something every few seconds for the person who looks on: how fast it
answers, or what it draws by now. What modules gave is among the digests of a step, so that the
steps in which it does so differ, and the clock decides which they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samebits.check.diff.artifacts import divergence_beside
from samebits.check.diff.correspondence import base_name
from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.diff.printed_output import is_said_at_other_times
from samebits.check.diff.surplus import agree_but_for_operations, first_surplus
from samebits.check.diff.verdict import Divergence, Verdict
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.schema import STEP_DIGESTS, STEP_KINDS
from samebits.check.trials.harmless_text import with_clock_and_names_pinned
from samebits.check.trials.pace_of_runs import asks_for_the_time
from samebits.check.trials.paced_text import holds_what_stayed
from samebits.check.trials.pinned_pair import PinnedOutcome
from samebits.check.trials.results_in_times import results_in_times
from samebits.check.trials.runner import Runner
from samebits.core.names import printable

_LASTING = tuple(name for name in STEP_DIGESTS if name != "outputs")
"""Digests of a step but for that of what modules gave: they reach the next one, or are the loss."""

_END = STEP_KINDS.index("end")
_MOST_OPERATIONS = 2_000_000
"""Of runs with more operations than that, for all that is known, not all are recorded."""


@dataclass(frozen=True)
class ShownByTheClock:
    """Runs that agree but for what is shown.

    Attributes:
        note: What to say of it.
        compared: What the first run and each of the others come to without it.
    """

    note: str
    compared: tuple[Verdict, ...]


def shown_by_the_clock(
    runner: Runner, results: Sequence[RunResult], diverged: Verdict
) -> ShownByTheClock | None:
    """What is computed in other steps of each run, where that changes nothing else.

    At least four further runs record every operation. Two are made as those of the check were: all
    that both do has to be the same, and one of them does something besides. Two have clocks of
    their own, one of which is twice as fast. They have to part in the same operation, and to agree
    with the first run in all that lasts, files and text: what came out the same in the first runs
    by luck, such as the best of what was tried within a second, may be another one then.

    Args:
        runner: Makes further runs, as those of the check were made.
        results: The runs of the check.
        diverged: What two of them come to.

    Returns:
        None where it may be more than shown.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    first, *others = (Trace.open(result.folder) for result in results)
    found = diverged.first_divergence
    if found is None or not _may_be_shown_alone(found, first, others):
        return None
    if results_in_times(runner, results[0], results[1]) is not None:
        return None
    closely = Runner(runner.recordings, replace(runner.plan, level="op"))
    plans = (closely.plan, closely.plan)
    a, b = (Trace.open(run.folder) for run in closely.pair("all operations", "shown", plans))
    besides = first_surplus(a, b) if agree_but_for_operations(a, b, digests=_LASTING) else None
    if besides is None or besides.site is None or not _lasts(first, a) or not _lasts(first, b):
        return None
    pinned = with_clock_and_names_pinned(closely, results[0], results[1], found, agree=_are_alike)
    if pinned is None or pinned.outcome is not PinnedOutcome.AGREES:
        return None
    paces = [Trace.open(run.folder) for run in pinned.runs]
    if not _is_the_same(besides, first_surplus(*paces)):
        return None
    stays = (holds_what_stayed(first, others[0], one, forms=True) for one in paces)
    if not all(_lasts(first, one) for one in paces) or not all(stays):
        return None
    line = f"{printable(base_name(besides.site.file), 80)}:{besides.site.line}"
    note = (
        f"what {line} computes comes in other steps in each run, as the clock has it, and changes "
        f"nothing else that is compared; {pinned.agrees}"
    )
    return ShownByTheClock(
        note, tuple(compare_traces(first, other, digests=_LASTING) for other in others)
    )


def _may_be_shown_alone(found: Divergence, first: Trace, others: Sequence[Trace]) -> bool:
    """Whether runs of a script that asks for the time differ in what modules gave in some steps.

    After the last step nothing is left that it could reach, so that it has to agree there.
    """
    steps = first.steps()
    operations = first.count_ops() * len(steps["kind"])
    return (
        (found.kind, found.op) == ("step", "outputs")
        and not found.processes
        and first.manifest.level == "auto"
        and operations <= _MOST_OPERATIONS
        and asks_for_the_time(first)
        and all(_lasts(first, one) and _end_alike(first, one) for one in others)
    )


def _end_alike(a: Trace, b: Trace) -> bool:
    """Whether what comes after the last step agrees, and what is printed but for when."""
    last = [steps["outputs"][steps["kind"] == _END].tolist() for steps in (a.steps(), b.steps())]
    beside = divergence_beside(a, b)
    return last[0] == last[1] and (beside is None or is_said_at_other_times(a, b))


def _lasts(a: Trace, b: Trace) -> bool:
    """Whether two runs agree in everything but what modules gave."""
    return first_divergence(a, b, digests=_LASTING) is None


def _are_alike(a: Trace, b: Trace) -> bool:
    """Whether two runs that have recorded every operation agree but for what one of them adds."""
    return agree_but_for_operations(a, b, digests=_LASTING)


def _is_the_same(one: OpRow, other: OpRow | None) -> bool:
    return other is not None and (one.op, one.signature, one.site) == (
        other.op,
        other.signature,
        other.site,
    )
