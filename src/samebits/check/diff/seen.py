"""What two runs have noted that may explain where they diverge; nothing is run for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.process_traces import traces_of
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.check.trace.schema import Flag
from samebits.core.names import printable
from samebits.errors import TraceError

_STARTS = ("process", "thread")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Facts of two runs, up to where they diverge.

    Attributes:
        reads_unwritten: Whether the operation read memory that nothing was written to.
        started: Threads and processes that the script started before.
    """

    reads_unwritten: bool = False
    started: Sequence[LedgerRow] = ()

    @property
    def others(self) -> str:
        """What was started, in words: "2 processes (train.py:17)"."""
        parts = []
        for source, plural in zip(_STARTS, ("processes", "threads"), strict=True):
            rows = [row for row in self.started if row.source == source]
            count = sum(row.calls for row in rows)
            places = [
                f"{printable(base_name(row.site.file), 80)}:{row.site.line}"
                for row in rows
                if row.site is not None
            ]
            if count:
                words = f"a {source}" if count == 1 else f"{count} {plural}"
                parts.append(f"{words} ({', '.join(dict.fromkeys(places))})")
        return " and ".join(parts)


def seen_before(found: Divergence, a: Trace, b: Trace) -> Seen:
    """What the rows and the ledgers of two runs say of where they diverge.

    Raises:
        TraceError: A row cannot be read.
    """
    flags = Flag(0)
    a, b = traces_of(found, a, b)
    for trace, row in zip((a, b), found.rows, strict=True):
        if row is not None and found.kind in ("output", "inserted"):
            flags |= trace.row(row).flags
    return Seen(
        reads_unwritten=bool(flags & Flag.READS_UNWRITTEN), started=_started_before(found, a)
    )


def _started_before(found: Divergence, trace: Trace) -> tuple[LedgerRow, ...]:
    try:
        rows = trace.ledger()
    except TraceError:
        return ()  # the rows decide what differs; without a ledger there is less to go by
    last = found.rows[0]
    return tuple(
        row
        for row in rows
        if row.source in _STARTS
        and row.site is not None
        and row.process == 0
        and "torch.utils.data." not in row.detail
        and (row.first_row <= last if last is not None else row.first_step <= found.step)
    )
