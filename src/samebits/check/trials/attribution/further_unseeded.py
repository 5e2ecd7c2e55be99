"""Further generators without a seed, beside what is blamed.

What was pinned to prove one of them has seeded them all, so that a fix has to name the others.
Where something else is blamed and the runs were not seen to agree, a script that nobody seeds would
go on differing once that is mended.
"""

from __future__ import annotations

from collections.abc import Iterable

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.writing.seeds import AT_START
from samebits.check.diff.ledger_pairing import is_of_an_import
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.process_traces import recorded_traces
from samebits.check.diff.verdict import Cause
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.wording import shown_place
from samebits.core.names import printable

_MOST = 3

_COPYING_SPACES = ("gymnasium.vector.", "gym.vector.")
"""Environments side by side make a generator for each copy of a space; no argument seeds these."""

_BY_SEED = frozenset({"unseeded-rng", "worker-rng", "rank-rng"})
"""Causes whose own fix says what has to be seeded."""


def drawn_unseeded(run: Trace) -> list[LedgerPair]:
    """Draws of the script from generators that nobody had seeded, in any process of a run.

    Raises:
        TraceError: A run folder is damaged.
    """
    rows = (row for trace in recorded_traces(run) for row in trace.ledger())
    draws = (LedgerPair(row=row) for row in rows if row.event == "draw")
    return [
        entry
        for entry in draws
        if entry.unseeded and not entry.internal and not is_of_an_import(entry.row)
    ]


def note_of_unseeded(drawn: Iterable[LedgerPair], explained: Iterable[Cause]) -> str | None:
    """What a person should know of draws without a seed, where the runs may differ by them as well.

    Args:
        drawn: The draws, in any process.
        explained: The causes that were found.

    Returns:
        None where there are no such draws, or a cause names them.
    """
    if any(cause.code in _BY_SEED for cause in explained):
        return None
    first: dict[tuple[str, int], str] = {}
    for entry in drawn:
        if entry.place is not None:
            first.setdefault(entry.place, printable(entry.row.detail, 80) or entry.row.source)
    told = [f"{what} at {shown_place(*place)}" for place, what in list(first.items())[:_MOST]]
    return f"also unseeded (whether it matters was not shown): {', '.join(told)}" if told else None


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
        if entry.internal or entry.in_worker or place is None:
            continue
        where = shown_place(*place)
        what = printable(row.detail, 80) or row.source
        if row.event == "construct" and row.detail.startswith(_COPYING_SPACES):
            continue
        if place == (culprit.file, culprit.line) and (row.process or row.event == "construct"):
            continue
        if row.process:
            does = "makes a generator" if row.event == "construct" else "draws"
            lines.setdefault(
                place,
                f"# {what} {does} without a seed at {where}, in a process that the script starts: "
                "seed it there",
            )
        elif row.event == "construct":
            lines.setdefault(
                place, f"# {what} makes a generator without a seed at {where}: give it one as well"
            )
        elif row.event == "draw" and row.source in AT_START and AT_START[row.source] != blamed:
            seed = AT_START[row.source]
            lines.setdefault(seed, f"{seed}  # {what} draws without a seed at {where}")
    return list(lines.values())[:_MOST]
