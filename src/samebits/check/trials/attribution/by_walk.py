"""A set that was walked in the order of addresses, where no pin has kept these still."""

from __future__ import annotations

from samebits.check.causes.writing.fix import fix
from samebits.check.diff.values import ValueDifferences
from samebits.check.diff.verdict import Cause
from samebits.check.trials.attribution import culprit_by_values
from samebits.check.trials.attribution.situation import Situation
from samebits.core.names import printable


def by_walk(values: ValueDifferences | None, situation: Situation) -> Cause | None:
    """The line that walks a set of objects hashed by address, on the way to the divergence.

    Where objects lie depends on more than can be pinned, such as what threads allocate meanwhile.
    That the elements are hashed by their addresses, and that what was made of them came in another
    order, was seen.

    Args:
        values: Where variables differed when the order of sets alone was free; None where that was
            not tried.
        situation: Where the two runs diverge.
    """
    place = None if values is None else culprit_by_values.of_order(values, situation.closer)
    if place is None or place.walked is None or place.walked.goes_by != "identity":
        return None
    return Cause(
        code="address-order",
        detail=printable(place.variable, 80),
        file=place.file,
        line=place.line,
        evidence="The elements of the set that is walked here are hashed by their addresses, which "
        "differ from run to run, and variables differ from here on when sets alone vary.",
        fix=fix("address-order", place, frozenset()),
        confidence="likely",
        process=situation.closer.process,
    )
