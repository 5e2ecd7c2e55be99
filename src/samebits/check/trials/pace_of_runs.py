"""Whether a run asks for the time, and whether what it does may go by that or by who is ready."""

from __future__ import annotations

from samebits.check.causes.writing.only_printed import is_only_printed, only_tells_the_time
from samebits.check.diff.ledger_pairs import is_internal
from samebits.check.diff.process_traces import recorded_traces
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow

_SIDE_BY_SIDE = frozenset({"process", "readiness", "shared-value", "thread", "timer"})


def may_go_by_pace(trace: Trace) -> bool:
    """Whether the script starts threads or processes, or reads a clock for more than to tell it.

    The same step need not differ again then.

    Args:
        trace: A run.

    Raises:
        TraceError: Its ledger is damaged.
    """
    return any(_is_of_pace(row) for row in trace.ledger() if not is_internal(row))


def asks_for_the_time(run: Trace) -> bool:
    """Whether a clock was read in a run, by whatever process of it.

    Args:
        run: The run.

    Raises:
        TraceError: A ledger is damaged.
    """
    return any(row.source == "clock" for trace in recorded_traces(run) for row in trace.ledger())


def _is_of_pace(row: LedgerRow) -> bool:
    if row.source != "clock" or row.site is None:
        return row.source in _SIDE_BY_SIDE
    place = row.site.file, row.site.line
    return not is_only_printed(*place) and not only_tells_the_time(*place)
