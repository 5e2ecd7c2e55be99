"""A generator with a seed that was asked more often in one run: what asks it goes by timing."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import GENERATORS, LedgerPair
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause
from samebits.check.trials.attribution.culprit import of_entry
from samebits.core.counted import how_often

_DRAW_FOR_EACH_ITEM = (
    "How often this line runs may go by timing: a thread is ahead or behind, and finds something "
    "in a cache, a queue or a weak dictionary, or does not. Draw at each request, whatever was "
    "found there, or from a generator of each item's own, such as np.random.default_rng([seed, "
    "epoch, index]): one draw more or less then moves no other."
)


def drawn_more_often(evidence: Evidence) -> Cause | None:
    """The first line that asked a seeded generator more often in one run, beside threads.

    All of both runs is counted, so that a thread that is merely ahead asks as often in the end.

    Args:
        evidence: What both runs have noted.

    Returns:
        None where no data differ, where no thread was started, or where a seed was missing or
        another one.
    """
    found = evidence.found
    arrived = found.data or found.detail == PLAIN_ARGUMENTS
    threads = any(not entry.internal for entry in evidence.of("thread"))
    if not (arrived and threads) or evidence.unseeded or evidence.other_seeds:
        return None
    entry = next(filter(_is_unequal, evidence.of(*GENERATORS)), None)
    if entry is None or entry.other is None:
        return None
    place = of_entry(entry)
    in_a, in_b = how_often(entry.row.calls), how_often(entry.other.calls)
    return Cause(
        code="thread-timing",
        detail=entry.row.source,
        file=place.file,
        line=place.line,
        evidence=f"This line drew {in_a} in run A and {in_b} in run B, from a generator that "
        "starts from the same seed, and threads were at work.",
        fix=_DRAW_FOR_EACH_ITEM,
        confidence="likely",
    )


def _is_unequal(entry: LedgerPair) -> bool:
    return (
        entry.row.event == "draw"
        and entry.other is not None
        and entry.row.calls != entry.other.calls
        and entry.place is not None
        and not entry.row.process
        and not entry.in_worker
        and not entry.internal
    )
