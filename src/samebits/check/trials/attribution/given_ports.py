"""Ports that the system has chosen: where one was given, and where an order was made by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samebits.check.causes.culprit import Culprit
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution.culprit_by_values import that_matter
from samebits.core.source.ordered_addresses import may_order_addresses


def where_ports_are_given(places: Sequence[Culprit]) -> list[Culprit]:
    """Those of some places at which the system has chosen a port."""
    return [
        place for place in places if place.entry is not None and place.entry.row.source == "port"
    ]


def put_in_order(places: Sequence[Culprit], values: ValueDifferences) -> Culprit | None:
    """The line that may put addresses in an order, where one line alone was given ports.

    Args:
        places: Lines that drew from what no seed reaches.
        values: Where variables diverge when these alone vary.

    Returns:
        None where there is no such line: then nothing shows which of several ports it was, or
        that an order goes by ports.
    """
    given = where_ports_are_given(places)
    if len(given) != 1:
        return None
    drawn = {(place.file, place.line) for place in places}
    for line in that_matter(values):
        here = (line.file, line.line)
        if here not in drawn and may_order_addresses(*here):
            return replace(given[0], file=line.file, line=line.line)
    return None
