"""Data that differ with everything pinned: the first line whose values go into them."""

from __future__ import annotations

from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.pace import IN_ONE_THREAD
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution import culprit_by_values
from samebits.check.trials.attribution.budget import OutOfRunsError
from samebits.check.trials.attribution.case import Case
from samebits.check.trials.attribution.decisive_line import reaching
from samebits.check.trials.attribution.findings import FoundCause
from samebits.check.trials.attribution.situation import Situation
from samebits.core.names import printable
from samebits.core.source.jobs import takes_jobs

_IN_PARTS = (
    "Have the library work in one thread here, if it can be told so. Or ask for the parts one by "
    "one and put them together in a fixed order: a sum of floating-point numbers that threads add "
    "to as they finish rounds otherwise each time."
)


def where_data_begin_to_differ(
    case: Case, situation: Situation, finding: FoundCause, evidence: Evidence
) -> Cause | None:
    """Two further runs follow the variables, with all pinned that leaves results as they are.

    Args:
        case: The runs that may be made.
        situation: Where the runs diverge.
        finding: What can be pinned, of which nothing has helped.
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where the budget is spent, where such runs tell nothing, or where no variable differs.

    Raises:
        RecordError: A run could not be started or recorded.
        TraceError: A run folder could not be written or read.
    """
    everything = case.everything(finding, situation)
    try:
        trial, values = case.trials.let_go(
            everything, everything, situation.closer_scope, follow=True
        )
    except OutOfRunsError:
        case.spent = True
        return None
    if not trial.usable or trial.divergence is None:
        return None
    way = reaching(culprit_by_values.that_matter(values), situation.closer)
    place = Culprit(file=way[0].file, line=way[0].line, variable=way[0].name) if way else None
    place = place or culprit_by_values.of_values(values)
    if place is None or not place.variable:
        return None
    name = printable(place.variable, 80)
    seen = (
        f"{name!r} differs after this line, and no variable before it that goes into these data."
        if way
        else f"{name!r} is the first variable that differs. Whether it goes into these data was "
        "not seen."
    )
    if _starts_threads(place, evidence):
        return _of_threads(place, seen)
    return Cause(
        code="data-changed",
        detail=place.variable,
        file=place.file,
        line=place.line,
        evidence=f"In two runs with all pinned that can be, {seen}",
        fix=f"Look at what {name!r} is made of here. A library that is written in another language "
        "may give a dict or a list in an order of its own, or draw random numbers that no seed of "
        "Python's reaches: sort what it gives by a key, or seed it by an argument of its own.",
        confidence="likely",
    )


def _starts_threads(place: Culprit, evidence: Evidence) -> bool:
    """Whether what a line calls was seen to start threads."""
    started = (*evidence.of("thread"), *evidence.starts)
    here = (entry for entry in started if entry.place == (place.file, place.line))
    return any(entry.row.source == "thread" and not entry.internal for entry in here)


def _of_threads(place: Culprit, seen: str) -> Cause:
    """What threads that no pin has held, such as those of a library, put together."""
    return Cause(
        code="thread-timing",
        detail=place.variable,
        file=place.file,
        line=place.line,
        evidence=f"In two runs with all pinned that can be, {seen} What the line calls starts "
        "threads.",
        fix=IN_ONE_THREAD if takes_jobs(place.file, place.line) else _IN_PARTS,
        confidence="likely",
    )
