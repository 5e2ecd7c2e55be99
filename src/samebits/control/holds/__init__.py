"""Holds: keeping one thing still around a run that may otherwise vary.

One file a hold, and nothing else in this folder; `named` finds them. A counterfactual run holds one
thing still and sees whether the runs then agree.
"""

from __future__ import annotations

import sys

from samebits.control.found_by_name import class_named, names_in
from samebits.control.hold import Hold

__all__ = ["Hold", "named", "names"]


def names() -> tuple[str, ...]:
    """Names of all holds, sorted."""
    return names_in(sys.modules[__name__])


def named(name: str) -> Hold:
    """The hold of one name, such as "hash-seed".

    Raises:
        UsageError: There is none; the message lists those that are there.
    """
    return class_named(sys.modules[__name__], name, Hold, "hold")()
