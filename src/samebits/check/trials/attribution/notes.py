"""Notes of an attribution: what the pins came to, and where it ended before everything was told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from samebits.check.trials.attribution.case import Case

OBJECTS_MOVE = (
    "samebits run disables address randomisation but does not control where each object is "
    "allocated: runs may still differ until the order no longer depends on addresses"
)

_TO_SAVE_TIME = "to save time: --budget 5m allows more runs"


def of_pins(
    controls: Sequence[str], not_each_time: Sequence[str], *, agreed: bool, unexplained: bool
) -> Iterator[str]:
    """What is said of pins under which the runs do not agree to the end.

    Args:
        controls: Pins under which they agree further each time.
        not_each_time: Pins under which one pair did and the next one did not.
        agreed: Whether they agree all the way.
        unexplained: Whether what differs further on was left alone.
    """
    if controls and not agreed:
        pins = " + ".join(controls)
        later = f"with {pins} pinned, the runs agree further and diverge again later"
        yield f"{later}; why was not looked into, {_TO_SAVE_TIME}" if unexplained else later
    if not_each_time:
        yield (
            f"with {' + '.join(not_each_time)} pinned, one pair of runs agreed at the first "
            "divergence, and the next pair did not"
        )


def of_limits(case: Case) -> Iterator[str]:
    """What was left undone, to save time or for want of it."""
    if case.cut_short and not case.spent:
        yield f"the likely cause was not tested further, {_TO_SAVE_TIME}"
    if case.spent:
        yield "the budget ran out before the cause was settled: raise it with --budget"
