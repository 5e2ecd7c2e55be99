"""What a weak collection still holds, where threads decide when garbage is collected."""

from __future__ import annotations

from samebits.check.causes.evidence import Evidence
from samebits.check.diff.verdict import PLAIN_ARGUMENTS, Cause
from samebits.check.trials.attribution.situation import Situation
from samebits.check.trials.attribution.source_lines import only_line
from samebits.core.source.weak_collections import lines_that_walk_weak_collections

_FIX = (
    "What lies in a circle of references stays in a weak collection until the garbage collector "
    "happens to run. Choose among what is held on purpose, such as a list or a deque beside it, "
    "and use the weak collection only to look up what is held there. Or call gc.collect() right "
    "before this line."
)


def walked_while_it_empties(situation: Situation, evidence: Evidence) -> Cause | None:
    """The line that goes through a weak collection, where data differ and threads were started.

    Without threads the garbage collector runs after the same allocations in every run. To be asked
    where pins have not helped: that the line has to do with the data is not seen.

    Args:
        situation: Where the runs diverge.
        evidence: What both have noted up to there.

    Returns:
        None where no data differ, or where several lines do so or none does.
    """
    found = evidence.found
    arrived = found.data or found.detail == PLAIN_ARGUMENTS or evidence.is_another_way
    if not arrived or found.process or evidence.unseeded or evidence.other_seeds:
        return None
    if not any(not entry.internal for entry in evidence.of("thread")):
        return None
    place = only_line(situation.traces[0], lines_that_walk_weak_collections)
    if place is None:
        return None
    file, line = place
    return Cause(
        code="thread-timing",
        detail="",
        file=file,
        line=line,
        evidence="This line goes through a weak collection. What it still holds goes by when the "
        "garbage collector ran, and that by what all threads have allocated; and data differ.",
        fix=_FIX,
        confidence="likely",
    )
