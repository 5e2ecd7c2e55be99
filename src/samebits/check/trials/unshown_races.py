"""Races that two runs which agree cannot have shown: weights that others read while they change."""

from __future__ import annotations

from samebits.check.causes.hand_overs import goes_on_without_waiting
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.process_traces import recorded_traces
from samebits.check.trace.reader import Trace
from samebits.check.trials.attribution.wording import shown_place

_NOTE = (
    "{0} hands weights over that the optimizer goes on changing, without a copy: what the other "
    "side reads depends on timing. These runs agree, others may not; hand over "
    "x.detach().clone(), or copy.deepcopy of the model or its state"
)
_OFTEN = 2
"""A hand-over that comes once may come after the last step."""


def notes_of_unshown_races(run: Trace) -> list[str]:
    """What a person should know of such lines where runs agree.

    Args:
        run: One of the runs.

    Raises:
        TraceError: A run folder is damaged.
    """
    rows = (row for trace in recorded_traces(run) for row in trace.ledger())
    handed = (LedgerPair(row=row) for row in rows if row.source == "hand-over")
    places = {
        entry.place: None
        for entry in handed
        if entry.place is not None
        and entry.row.calls >= _OFTEN
        and goes_on_without_waiting(*entry.place)
    }
    return [_NOTE.format(shown_place(*place)) for place in places]
