"""Steps that several optimizers take right after each other, in no order that matters.

Where each parameter has an optimizer of its own, and these step in the order of a set, two runs
take the same steps in another order. No batch is read, no module called and no backward pass made
between them, and their digests hold what each was given and has left: in any order, they are the
same steps.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from samebits.check.trace.rows import Column
from samebits.check.trace.schema import STEP_DIGESTS, STEP_KINDS

_STEP = STEP_KINDS.index("step")
_COMPUTED = ("batch", "outputs", "loss")
"""Digests that a step lacks where it follows another one without a pass between."""
_OWN = ("gradients", "parameters", "optimizer")
"""Digests of what an optimizer holds; the others are of the process."""


def same_steps_otherwise(a: Mapping[str, Column], b: Mapping[str, Column], index: int) -> int:
    """Where the steps around one that differs are the same ones in another order.

    Args:
        a: The steps of run A: column → values, shape (steps,).
        b: The steps of run B.
        index: A step that differs.

    Returns:
        The first step after them; 0 where they are others, or stand alone.
    """
    span = _in_a_row(a, index)
    if len(span) < 2 or span != _in_a_row(b, index):
        return 0
    rows = slice(span.start, span.stop)
    for name in STEP_DIGESTS:
        if name not in _OWN and not np.array_equal(a[name][rows], b[name][rows]):
            return 0
    return span.stop if np.array_equal(_sorted(a, rows), _sorted(b, rows)) else 0


def _in_a_row(steps: Mapping[str, Column], index: int) -> range:
    """The steps around one of them that follow each other without a pass between."""
    follows = (steps["kind"] == _STEP) & ~np.logical_or.reduce([steps[n] != 0 for n in _COMPUTED])
    begin = index
    while begin > 0 and follows[begin]:
        begin -= 1
    end = begin + 1
    while end < len(follows) and follows[end]:
        end += 1
    return range(begin, end)


def _sorted(steps: Mapping[str, Column], rows: slice) -> Column:
    own: Column = np.stack([steps[name][rows] for name in _OWN])
    return own[:, np.lexsort(own)]
