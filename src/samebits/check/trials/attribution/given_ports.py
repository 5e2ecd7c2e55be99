"""Ports that the system has chosen: where one was given, and where an order was made by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from samebits.check.causes.culprit import Culprit
from samebits.check.diff.values import ValueDifferences
from samebits.check.trials.attribution.culprit_by_values import that_matter
from samebits.core.source.ordered_addresses import may_order_addresses


def of_a_given_port(places: Sequence[Culprit], values: ValueDifferences) -> Culprit | None:
    """The line that puts addresses in an order, else the one that was given a port.

    Args:
        places: Lines that drew from what no seed reaches.
        values: Where variables diverge when these alone vary.

    Returns:
        None where no port was given, or where other things were drawn as well and nothing shows
        that an order goes by ports.
    """
    given = [place for place in places if _is_port(place)]
    if not given:
        return None
    for line in that_matter(values):
        if may_order_addresses(line.file, line.line):
            return replace(given[0], file=line.file, line=line.line)
    return given[0] if len(given) == len(places) else None


def _is_port(place: Culprit) -> bool:
    return place.entry is not None and place.entry.row.source == "port"
