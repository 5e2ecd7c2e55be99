"""Whether the same step need not differ again: it goes by a clock, or by who is ready first."""

from __future__ import annotations

from samebits.check.causes.writing.only_printed import is_only_printed, only_tells_the_time
from samebits.check.diff.ledger_pairs import is_internal
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow

_SIDE_BY_SIDE = frozenset({"process", "readiness", "shared-value", "thread", "timer"})


def may_go_by_pace(trace: Trace) -> bool:
    """Whether the script starts threads or processes, or reads a clock for more than to tell it.

    Args:
        trace: A run.

    Raises:
        TraceError: Its ledger is damaged.
    """
    return any(_is_of_pace(row) for row in trace.ledger() if not is_internal(row))


def _is_of_pace(row: LedgerRow) -> bool:
    if row.source != "clock" or row.site is None:
        return row.source in _SIDE_BY_SIDE
    place = row.site.file, row.site.line
    return not is_only_printed(*place) and not only_tells_the_time(*place)
