"""Steps that differ in what modules gave, and in nothing else.

A script may ask its model something every few seconds for the person who looks on: how fast it
answers, or what it draws by now. What modules gave is among the digests of a step, so that the
steps in which it does so differ, and the clock decides which they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.divergence import compare_traces, first_divergence
from samebits.check.diff.surplus import agree_but_for_operations, first_surplus
from samebits.check.diff.verdict import Divergence, Verdict
from samebits.check.diff.written_files import WRITTEN_BESIDE, saved_divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import STEP_DIGESTS
from samebits.check.trials.harmless_text import with_clock_and_names_pinned
from samebits.check.trials.pace_of_runs import asks_for_the_time
from samebits.check.trials.pinned_pair import PinnedOutcome, all_agrees
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
    runner: Runner, results: Sequence[RunResult], diverged: Verdict
) -> ShownByTheClock | None:
    """What is computed in other steps of each run, where that changes nothing else.

    Two further runs have clocks of their own, one of which is twice as fast, and record every
    operation. What parts them has to be one that only one of them does, with all that both do the
    same; and in all that lasts they have to agree with the first run, at least one of them with
    what is shown in other steps. What came out the same in the first runs by luck, such as the best
    of what was tried within a second, is another one then.

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
    second = next(run for run in results[1:] if not all_agrees(first, Trace.open(run.folder)))
    closely = Runner(runner.recordings, replace(runner.plan, level="op"))
    pinned = with_clock_and_names_pinned(closely, results[0], second, found, agree=_lasts)
    if pinned is None or pinned.outcome is not PinnedOutcome.AGREES:
        return None
    slow, fast = (Trace.open(run.folder) for run in pinned.runs)
    behind = first_surplus(slow, fast)
    if behind is None or behind.site is None or not (_lasts(first, slow) and _lasts(first, fast)):
        return None
    line = f"{printable(base_name(behind.site.file), 80)}:{behind.site.line}"
    note = (
        f"{line} is computed in other steps in each run, as the clock has it, and changes nothing "
        f"else; {pinned.agrees}"
    )
    return ShownByTheClock(
        note, tuple(compare_traces(first, other, digests=_LASTING) for other in others)
    )


def _may_be_shown_alone(found: Divergence, first: Trace, others: Sequence[Trace]) -> bool:
    """Whether runs of a script that asks for the time differ in what one of them does besides.

    Where that is in the first step, whose operations are all recorded, no other process may have
    done anything: nobody has compared that yet.
    """
    of_modules = (found.kind, found.op) == ("step", "outputs")
    besides = found.kind == "inserted" and not first.manifest.further
    return (
        (of_modules or besides)
        and not found.processes
        and first.manifest.level == "auto"
        and asks_for_the_time(first)
        and all(_lasts(first, other) for other in others)
    )


def _lasts(a: Trace, b: Trace) -> bool:
    """Whether two runs agree but for operations that one of them does, and what modules gave."""
    if first_divergence(a, b, digests=_LASTING) is None:
        return True
    saved = (saved_divergence(a, b, kind) for kind in ("tensors", *WRITTEN_BESIDE))
    return agree_but_for_operations(a, b, digests=_LASTING) and not any(saved)
