"""Steps that differ in what modules gave, and in nothing else.

A script may ask its model something every few seconds for the person who looks on: how fast it
answers, or what it draws by now. What modules gave is among the digests of a step, so that the
steps in which it does so differ, and the clock decides which they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.surplus import common_rows_agree
from samebits.check.diff.verdict import Divergence, Verdict
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_DIGESTS
from samebits.check.trials.closer import CloserLook
from samebits.check.trials.harmless_text import with_clock_and_names_pinned
from samebits.check.trials.pace_of_runs import asks_for_the_time
from samebits.check.trials.pinned_pair import PinnedOutcome
from samebits.check.trials.runner import Runner
from samebits.core.names import printable

_LASTING = tuple(name for name in STEP_DIGESTS if name != "outputs")
"""What a step is known by but for what modules gave: it reaches the next step, or is the loss."""


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
    runner: Runner, results: Sequence[RunResult], diverged: Verdict, look: CloserLook
) -> ShownByTheClock | None:
    """What is computed in other steps of each run, where that changes nothing else.

    The operation behind it has to be one that only one of two runs does, with all that both do the
    same. And runs with other clocks have to do it in other steps still, with all else as it was:
    what comes out the same in two runs by luck, such as the best of what was tried within a second,
    is another one then.

    Args:
        runner: Makes further runs, as those of the check were made.
        results: The runs of the check.
        diverged: What two of them come to.
        look: Looks for the operation; with a pair of runs afterwards only where it is needed.

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
    behind = _what_one_run_does(found, first, look)
    if behind is None:
        return None
    second = next(run for run in results[1:] if _differ(first, Trace.open(run.folder)))
    pinned = with_clock_and_names_pinned(runner, results[0], second, found, digests=_LASTING)
    if pinned is None or pinned.outcome is not PinnedOutcome.AGREES:
        return None
    traces = [Trace.open(run.folder) for run in pinned.runs]
    as_before = all(_agree_but_for_outputs(first, trace) for trace in traces)
    if not as_before or not any(_differ(first, trace) for trace in traces):
        return None
    look.pair = None
    line = f"{printable(base_name(behind.file), 80)}:{behind.line}" if behind.file else "this"
    note = (
        f"{line} is computed in other steps in each run, as the clock has it, and changes nothing "
        f"else; {pinned.agrees}"
    )
    return ShownByTheClock(
        note, tuple(compare_traces(first, other, digests=_LASTING) for other in others)
    )


def _may_be_shown_alone(found: Divergence, first: Trace, others: Sequence[Trace]) -> bool:
    """Whether runs of a script that asks for the time differ in nothing but what modules gave."""
    is_of_modules = (found.kind, found.op) == ("step", "outputs") and not found.processes
    return (
        is_of_modules
        and asks_for_the_time(first)
        and all(_agree_but_for_outputs(first, other) for other in others)
    )


def _what_one_run_does(found: Divergence, first: Trace, look: CloserLook) -> Divergence | None:
    """The operation behind it, where one of two runs does something besides what both do."""
    behind, _ = look.at(found, first)
    if behind.kind != "inserted" or behind.processes or look.pair is None:
        return None
    a, b = (Trace.open(run.folder) for run in look.pair.runs)
    steps = first_step_divergence(a, b, same_level=True, open_ends=(False, False), only=_LASTING)
    return behind if steps is None and common_rows_agree(a, b) else None


def _differ(a: Trace, b: Trace) -> bool:
    return first_divergence(a, b) is not None


def _agree_but_for_outputs(a: Trace, b: Trace) -> bool:
    return first_divergence(a, b, digests=_LASTING) is None
