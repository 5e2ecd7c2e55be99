"""Text that goes by what each run finds as the one before it has left it: a number of the run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.ledger_pairing import pair_ledgers
from samebits.check.diff.run_numbers import differ_by_the_number_of_the_run
from samebits.check.diff.verdict import Divergence
from samebits.check.record.run import RunResult
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.left_behind import left_besides, left_files
from samebits.core.names import printable

_MOST_FILES = 3


def counted_by_the_script(results: Sequence[RunResult], differs: Divergence) -> str | None:
    """What to say of text that differs in the number of the run, and in nothing else.

    Args:
        results: The runs of a check, in order; their operations agree.
        differs: The first thing that differs beside these.

    Returns:
        None where something else differs, where a number does not go up by one from each run to
        the next, or where no run has left anything that the next one could count.

    Raises:
        TraceError: A run folder is damaged.
    """
    traces = [Trace.open(result.folder) for result in results]
    for before, after in pairwise(traces):
        if not differ_by_the_number_of_the_run(before, after):
            return None
    first, second = traces[:2]
    left = left_for_the_next(first, second, differs) or left_besides(first, second)
    if left:
        found = f"{names_of(left)}, which run 1 wrote"
    elif _lists_otherwise(first, second, differs):
        found = "other entries in a folder"
    else:
        return None
    return f"the script numbers its runs: this number alone differs, and run 2 found {found}"


def _lists_otherwise(a: Trace, b: Trace, found: Divergence) -> bool:
    entries = pair_ledgers(found, list(a.ledger()), list(b.ledger()), correspondence(a, b))
    return any(entry.row.source == "listing" and entry.differs for entry in entries)


def left_for_the_next(a: Trace, b: Trace, found: Divergence) -> list[str]:
    """Files that one run wrote and the next one found, before they diverge."""
    entries = pair_ledgers(found, list(a.ledger()), list(b.ledger()), correspondence(a, b))
    return left_files(a, b, entries)


def names_of(files: Sequence[str]) -> str:
    """The first few of some files, in words."""
    names = " and ".join(printable(path, 200) for path in files[:_MOST_FILES])
    more = f" and {len(files) - _MOST_FILES} more files" if len(files) > _MOST_FILES else ""
    return f"{names}{more}"
