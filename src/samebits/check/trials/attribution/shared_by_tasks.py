"""Generators of a worker that all its tasks draw from: which numbers a task gets goes by timing."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.diff.ledger_pairs import GENERATORS
from samebits.check.trials.attribution.culprit import of_entry


def generator_of_all_tasks(evidence: Evidence) -> Culprit | None:
    """Where a worker has made the generator of all its tasks, else where it draws from one.

    Returns:
        None where workers drew as much in both runs, or where seeds in them differ: then each task
        has a seed of its own, and these went to other workers.
    """
    inside = [
        entry for entry in evidence.of(*GENERATORS) if entry.row.process and not entry.internal
    ]
    drawn = [entry for entry in inside if entry.row.event == "draw"]
    made = [entry for entry in inside if entry.row.event != "draw"]
    unequal = [e for e in drawn if e.other is not None and e.row.amount != e.other.amount]
    if not unequal or any(entry.differs or entry.unseeded for entry in (*made, *unequal)):
        return None
    sources = {(entry.row.process, entry.row.source) for entry in unequal}
    begins = [entry for entry in made if (entry.row.process, entry.row.source) in sources]
    known = [entry for entry in (*begins, *unequal) if entry.place is not None]
    return of_entry(known[0]) if known else None
