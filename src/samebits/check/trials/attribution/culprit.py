"""The place to blame: a line of the user's code, and what is known of it."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.diff.ledger_pairs import CLOCKS, LedgerPair
from samebits.check.diff.verdict import Divergence
from samebits.core.source.archives import makes_an_archive


def of_divergence(found: Divergence, detail: str = "") -> Culprit:
    """The line of the operation that parts."""
    operation = found.op if found.kind in ("output", "inserted") else ""
    return Culprit(file=found.file, line=found.line, detail=detail, operation=operation)


def of_entry(entry: LedgerPair) -> Culprit:
    """The line that the ledger names."""
    place = entry.place
    file, line = (None, None) if place is None else place
    return Culprit(file=file, line=line, detail=entry.row.source, entry=entry)


def of_clock_of_a_library(place: Culprit) -> bool:
    """Whether a place is where a library, not the script, asked for the time."""
    entry = place.entry
    of_clock = entry is not None and entry.row.source == "clock"
    return of_clock and entry is not None and not entry.row.detail.startswith(CLOCKS)


def of_an_archive(place: Culprit) -> bool:
    """Whether a place is where the time was written into an archive."""
    entry = place.entry
    of_clock = entry is not None and entry.row.source == "clock"
    return of_clock and entry is not None and makes_an_archive(entry.row.detail)
