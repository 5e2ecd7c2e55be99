"""Variations: changing one thing around a run on purpose, to see whether the results hold.

One file a variation, and nothing else in this folder; `named` finds them.
"""

from __future__ import annotations

import sys

from samebits.training.control.found_by_name import class_named, names_in
from samebits.training.control.variation import Baseline, Variation

__all__ = ["Baseline", "Variation", "named", "names"]


def names() -> tuple[str, ...]:
    """Names of all variations, sorted."""
    return names_in(sys.modules[__name__])


def named(name: str) -> Variation:
    """The variation of one name, such as "threads".

    Raises:
        UsageError: There is none; the message lists those that are there.
    """
    return class_named(sys.modules[__name__], name, Variation, "variation")()
