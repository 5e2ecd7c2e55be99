"""Lines at which threads draw from torch generators that they were handed, not from torch's own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from samebits.check.trace.reader import LedgerRow, Trace
from samebits.check.trace.schema import NO_SITE, Flag

_Line = tuple[str, int]


def lines_of_handed_generators(threads: Sequence[Trace]) -> frozenset[_Line]:
    """Lines at which threads draw from generators that they were handed, and from no other.

    Elsewhere in the process the same line may draw from torch's own generator, as where a network
    is trained first.

    Args:
        threads: What the threads have recorded.

    Returns:
        Files and lines; none where threads have taken steps, after which they may have no rows.

    Raises:
        TraceError: A trace is damaged.
    """
    handed, own = _lines(threads)
    return frozenset(handed - own)


def lines_of_the_shared_generator(threads: Sequence[Trace]) -> frozenset[_Line]:
    """Lines at which threads draw from torch's own generator, as `lines_of_handed_generators`."""
    return frozenset(_lines(threads)[1])


def _lines(threads: Sequence[Trace]) -> tuple[set[_Line], set[_Line]]:
    """Where they draw from generators that they were handed, and where from torch's own."""
    handed: set[_Line] = set()
    own: set[_Line] = set()
    if any(trace.count_steps() for trace in threads):
        return handed, own
    for trace in threads:
        lines = [(site.file, site.line) for site in trace.sites()]
        for batch in trace.iter_ops(("site", "flags")):
            flags, sites = batch.columns["flags"], batch.columns["site"]
            draws = ((flags & np.uint16(Flag.RANDOM)) != 0) & (sites != NO_SITE)
            given = (flags & np.uint16(Flag.HANDED_GENERATOR)) != 0
            handed |= {lines[site] for site in np.unique(sites[draws & given])}
            own |= {lines[site] for site in np.unique(sites[draws & ~given])}
    return handed, own


def line_of(row: LedgerRow) -> tuple[str, int] | None:
    """File and line of a ledger's row."""
    return None if row.site is None else (row.site.file, row.site.line)
