"""Further generators without a seed: what was pinned to prove one of them has seeded them all."""

from __future__ import annotations

from collections.abc import Iterable

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.seeds import AT_START
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.names import printable

_MOST = 3


def further_unseeded(entries: Iterable[LedgerPair], culprit: Culprit) -> list[str]:
    """Lines that a fix has to have beside the one for the generator to blame.

    Args:
        entries: Uses of generators that nobody had seeded, in a whole run.
        culprit: The generator that was blamed.

    Returns:
        Code that seeds a generator which everybody shares, and comments that name a line which
        makes one of its own; in the order of their first use.
    """
    lines: dict[object, str] = {}
    blamed = AT_START.get(culprit.detail)
    for entry in entries:
        row, place = entry.row, entry.place
        if entry.internal or entry.in_worker or row.process or place is None:
            continue
        where = shown_place(*place)
        what = printable(row.detail, 80) or row.source
        if row.event == "construct" and place != (culprit.file, culprit.line):
            lines.setdefault(
                place, f"# {what} makes a generator without a seed at {where}: give it one as well"
            )
        elif row.event == "draw" and row.source in AT_START and AT_START[row.source] != blamed:
            seed = AT_START[row.source]
            lines.setdefault(seed, f"{seed}  # {what} draws without a seed at {where}")
    return list(lines.values())[:_MOST]
