"""Lines at which threads draw from torch generators that they were handed, not from torch's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from samebits.check.trace.reader import LedgerRow, Trace
from samebits.check.trace.schema import NO_SITE, Flag

_HANDED = "torch-generator"
_Line = tuple[str, int]


def lines_of_handed_generators(
    threads: Sequence[Trace], ledger: Sequence[LedgerRow]
) -> frozenset[_Line]:
    """Lines at which threads draw from generators that they were handed, and from no other.

    Elsewhere in the process the same line may draw from torch's own generator, as where a network
    is trained first. Threads have drawn as often as their rows say.

    Args:
        threads: What the threads have recorded.
        ledger: That of their process.

    Returns:
        Files and lines; none where threads have taken steps, after which they may have no rows.

    Raises:
        TraceError: A trace is damaged.
    """
    handed: Counter[_Line] = Counter()
    for row in ledger:
        line = line_of(row)
        if row.source == _HANDED and row.event == "draw" and line is not None:
            handed[line] += row.calls
    if not handed or any(trace.count_steps() for trace in threads):
        return frozenset()
    drawn: Counter[_Line] = Counter()
    for trace in threads:
        lines = [(site.file, site.line) for site in trace.sites()]
        for batch in trace.iter_ops(("site", "flags")):
            at = batch.columns["site"][(batch.columns["flags"] & np.uint16(Flag.RANDOM)) != 0]
            for site, times in zip(*np.unique(at[at != NO_SITE], return_counts=True), strict=True):
                drawn[lines[site]] += int(times)
    return frozenset(line for line, times in handed.items() if drawn[line] == times)


def line_of(row: LedgerRow) -> tuple[str, int] | None:
    """File and line of a ledger's row."""
    return None if row.site is None else (row.site.file, row.site.line)
