"""How likely luck alone is to make an intervention look like the cause."""

from __future__ import annotations

from math import comb

PROVED_BELOW = 1e-3
"""A cause is called proved only where luck explains what was seen with less than this."""

LIKELY_BELOW = 0.05
"""Without a budget of its own, a search for what may come and go ends below this, at likely."""

_INTERMITTENT_SHARE = 0.05
"""How many scripts are taken to differ only now and then, where nothing speaks for it: assumed."""


def luck(agreements: int, divergences: int, *, intermittent: bool) -> float:
    """The chance that an intervention which changes nothing has this record.

    If it changes nothing, every comparison of two runs agrees with one and the same chance p,
    pinned or not, and it was luck that all those with the intervention agreed and all those without
    it diverged: p**agreements * (1 - p)**divergences. Nothing is known of p, so it is averaged over
    all of it (the beta function); where a script may agree with itself now and then, that is the
    answer. Most scripts that differ do so in every pair, and p is then nothing worth speaking of:
    where nothing speaks for the contrary, one script in twenty is taken to be of the other kind.

    Args:
        agreements: Comparisons of two runs under the intervention, all of which agreed longer.
        divergences: Comparisons without it, all of which diverged.
        intermittent: Whether anything speaks for a difference that comes and goes.

    Returns:
        A number from 0 to 1.
    """
    if not agreements or not divergences:
        return 1.0
    both = agreements + divergences
    averaged = 1 / ((both + 1) * comb(both, agreements))
    return averaged if intermittent else _INTERMITTENT_SHARE * averaged


def is_excluded(agreements: int, divergences: int, *, intermittent: bool) -> bool:
    """Whether luck is too unlikely an explanation: below `PROVED_BELOW`."""
    return luck(agreements, divergences, intermittent=intermittent) < PROVED_BELOW
