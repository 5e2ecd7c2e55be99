"""A line that waits for something no longer than a time, in an event loop."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.pace import WAITING_NO_LONGER
from samebits.check.trials.attribution import culprit as culprits
from samebits.core.source.statement import called, statement_at


def first_deadline(evidence: Evidence) -> Culprit | None:
    """The first line that set a deadline for what it waits for; None where there is none.

    A line that only lets a time pass (`sleep`) decides nothing by itself.
    """
    for entry in evidence.of("timer"):
        statement = None if entry.place is None else statement_at(*entry.place)
        if statement is None:
            continue
        if {called(node) for node in statement.expressions()} & WAITING_NO_LONGER:
            return culprits.of_entry(entry)
    return None
