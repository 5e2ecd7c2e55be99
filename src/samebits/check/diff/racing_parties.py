"""Whether threads or processes may have raced, told by what a script has started."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Literal

from samebits.check.diff.verdict import CHANGED_BESIDE, Divergence

if TYPE_CHECKING:
    from samebits.check.trace.rows import LedgerRow

Parties = Literal["thread", "process"]

_HELPERS = ("multiprocessing.", "concurrent.futures.process.", "torch.multiprocessing.")
"""Libraries whose threads serve processes: the feeder of a queue, the keeper of a pool."""
_OF_THREADS = ("multiprocessing.pool.ThreadPool", "multiprocessing.dummy.")
"""What among them works in threads itself."""
_PYTHON = ("fork", "python")
"""How programs are called that may be part of the script; any other one, such as git, is not."""


def racing_parties(started: Collection[LedgerRow], found: Divergence) -> Parties:
    """Whose pace may have decided: that of threads, or that of processes.

    Where a script starts both, it is told by where the runs diverge; where that does not tell
    either, threads stand for both.

    Args:
        started: The ledger's rows of what was started.
        found: Where the runs diverge.
    """
    kinds = {kind for row in started if (kind := _kind(row)) is not None}
    if len(kinds) < 2:
        return kinds.pop() if kinds else "process"  # nothing but other programs
    by_threads = found.is_on_own_thread or found.detail == CHANGED_BESIDE
    return "thread" if by_threads or not found.processes else "process"


def _kind(row: LedgerRow) -> Parties | None:
    """Whether a thread or a process was started; None where it takes no part."""
    if row.source == "process":
        return "process" if row.detail.startswith(_PYTHON) else None
    serves = row.detail.startswith(_HELPERS) and not row.detail.startswith(_OF_THREADS)
    return "process" if serves else "thread"
