"""What to do about a cause in a process that the script has started."""

from __future__ import annotations

from samebits.check import causes
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.hypothesis import Hypothesis
from samebits.check.diff.evident_cause import evident_cause
from samebits.check.trials.attribution.situation import Situation

_BY_A_SEED = frozenset({"clock", "entropy", "rank-rng", "unseeded-rng"})
"""Causes whose remedy is a number from a generator that is seeded."""


def has_advice_of_its_own(situation: Situation, hypothesis: Hypothesis) -> bool:
    """Whether what the script's own process should do is not what this process should."""
    found = situation.closer
    # No generator may be seeded there, and one seed for all would make them draw the same numbers.
    is_elsewhere = found.process and not found.is_on_own_thread
    return found.is_unrecorded or bool(is_elsewhere and hypothesis.code in _BY_A_SEED)


def in_another_process(situation: Situation, hypothesis: Hypothesis, place: Culprit) -> str:
    """What to do about a process whose lines are not recorded, or that is one of several.

    Args:
        situation: Where the runs diverge.
        hypothesis: Why.
        place: The line to blame.
    """
    look = causes.known(hypothesis.code).advice_elsewhere(place)
    return look or evident_cause(situation.closer).fix
