"""Pins: keeping one thing the same around a run that may otherwise vary.

One file a pin, and nothing else in this folder; `named` finds them. A counterfactual run pins one
thing and sees whether the runs then agree.
"""

from __future__ import annotations

import sys

from samebits.training.control.found_by_name import class_named, names_in
from samebits.training.control.pin import Pin

__all__ = ["Pin", "named", "names"]


def names() -> tuple[str, ...]:
    """Names of all pins, sorted."""
    return names_in(sys.modules[__name__])


def named(name: str) -> Pin:
    """The pin of one name, such as "hash-seed".

    Raises:
        UsageError: There is none; the message lists those that are there.
    """
    return class_named(sys.modules[__name__], name, Pin, "pin")()
