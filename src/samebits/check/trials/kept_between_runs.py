"""Text that goes by what each run finds as the one before it has left it.

A script may number its runs in a database, or add to a history. Where all that differs between two
runs is what they print and write beside their operations, two further runs tell: with files put
back before each of them, they come to the same text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samebits.check import causes
from samebits.check.diff.artifacts import divergence_beside
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.divergence import first_divergence
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.verdict import Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.further_unseeded import drawn_unseeded
from samebits.check.trials.attribution.left_behind import left_besides, left_files
from samebits.check.trials.runner import Runner
from samebits.core.names import printable

_MOST_FILES = 3


def goes_by_what_is_kept(
    runner: Runner, first: RunResult, second: RunResult, differs: Divergence
) -> str | None:
    """What to say of text that differs by what run 1 has left, and by nothing else.

    Args:
        runner: Makes further runs, as those of the check were made.
        first: Run 1.
        second: Run 2, whose operations are those of run 1.
        differs: What differs beside them.

    Returns:
        None where run 2 found nothing that run 1 had changed, where something was drawn without a
        seed, or where runs differ in their text with files put back as well.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    a, b = Trace.open(first.folder), Trace.open(second.folder)
    left = left_for_the_next(a, b, differs) or left_besides(a, b)
    if not left or drawn_unseeded(a):
        return None
    pinned = runner.plan.surroundings | causes.pin("files").surroundings()
    plan = replace(runner.plan, surroundings=pinned)
    runs = runner.pair("files put back before each run", "put-back", (plan, plan))
    if any(run.end != first.end for run in runs):
        return None
    traces = Trace.open(runs[0].folder), Trace.open(runs[1].folder)
    if first_divergence(*traces) is not None or divergence_beside(*traces) is not None:
        return None
    return (
        f"what runs print and write goes by {names_of(left)}, which each run finds as the one "
        "before has left it: with files put back before each, two further runs printed and wrote "
        "the same"
    )


def left_for_the_next(a: Trace, b: Trace, found: Divergence) -> list[str]:
    """Files that one run wrote and the next one found, before they diverge."""
    entries = pair_ledgers(found, list(a.ledger()), list(b.ledger()), correspondence(a, b))
    return left_files(a, b, entries)


def names_of(files: Sequence[str]) -> str:
    """The first few of some files, in words."""
    names = " and ".join(printable(path, 200) for path in files[:_MOST_FILES])
    more = f" and {len(files) - _MOST_FILES} more files" if len(files) > _MOST_FILES else ""
    return f"{names}{more}"
