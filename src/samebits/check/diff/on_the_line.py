"""What the line that diverges has read itself: a clock, a process number, unseeded numbers."""

from __future__ import annotations

from collections.abc import Iterable

from samebits.check.diff.ledger_pairs import ENTROPY, LedgerPair
from samebits.check.diff.verdict import Divergence

_NEVER_THE_SAME = (*(source for source in ENTROPY if source != "port"), "clock")
"""Without ports: a line that binds a socket seldom computes with its number."""


def read_on_the_line(found: Divergence, entries: Iterable[LedgerPair]) -> LedgerPair | None:
    """The entry of the ledger that stands on the line of a divergence and differs, if there is one.

    Both runs must have come there: what only one of them read may be a consequence.

    Args:
        found: Where two runs diverge.
        entries: Their ledgers up to there.
    """
    if found.file is None or found.kind not in ("output", "inserted") or found.random:
        return None
    return next(
        (
            entry
            for entry in entries
            if entry.place == (found.file, found.line)
            and entry.other is not None
            and not entry.internal
            and (entry.unseeded or (entry.row.source in _NEVER_THE_SAME and entry.differs))
        ),
        None,
    )
