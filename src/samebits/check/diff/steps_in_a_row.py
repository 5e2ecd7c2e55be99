"""Steps that several optimizers take in a row, in an order that changes nothing.

Where each parameter has an optimizer of its own, and these step in the order of a set, two runs
take the same steps in another order. Each run has noted which of its steps may stand in any order
(`samebits.check.record.steps_in_a_row`); here it is seen whether they are the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from samebits.check.trace.manifest import Manifest
from samebits.check.trace.rows import Column
from samebits.check.trace.schema import STEP_DIGESTS, STEPS_IN_ANY_ORDER

_OWN = ("gradients", "parameters", "optimizer")
"""Digests of what an optimizer holds; the others are of the process."""


@dataclass(frozen=True)
class RowOfSteps:
    """Steps that may stand in any order.

    Attributes:
        steps: Which they are.
        before: Digests of the parameters that each began with; shape (steps,), uint64.
    """

    steps: range
    before: npt.NDArray[np.uint64]


def rows_in_any_order(manifest: Manifest, steps: int) -> dict[int, RowOfSteps]:
    """The rows of steps that a run has noted: each of their steps → the row.

    Args:
        manifest: Of the run; what stands there is looked at before it is trusted.
        steps: How many steps the run has.
    """
    found: dict[int, RowOfSteps] = {}
    noted = manifest.extra.get(STEPS_IN_ANY_ORDER)
    for span in noted if isinstance(noted, list) else ():
        match span:
            case [int(begin), *before] if _are_digests(before) and 0 <= begin <= steps - len(
                before
            ):
                row = RowOfSteps(
                    range(begin, begin + len(before)), np.array(before, dtype=np.uint64)
                )
                found.update(dict.fromkeys(row.steps, row))
            case _:
                return {}
    return found


def same_steps_otherwise(
    a: Mapping[str, Column],
    b: Mapping[str, Column],
    row: RowOfSteps | None,
    other: RowOfSteps | None,
    names: Sequence[str] = STEP_DIGESTS,
) -> int:
    """Where the steps around one that differs are the same ones in another order.

    Args:
        a: The steps of run A: column → values, shape (steps,).
        b: The steps of run B.
        row: The row of steps of run A that may stand in any order, which holds it; None for none.
        other: That of run B.
        names: The digests that count.

    Returns:
        The first step after them; 0 where they are others, or stand in an order that counts.
    """
    if row is None or other is None or row.steps != other.steps:
        return 0
    rows = slice(row.steps.start, row.steps.stop)
    for name in names:
        if name not in _OWN and not np.array_equal(a[name][rows], b[name][rows]):
            return 0
    same = np.array_equal(_sorted(a, rows, row.before), _sorted(b, rows, other.before))
    return row.steps.stop if same else 0


def _are_digests(values: Sequence[object]) -> bool:
    return all(isinstance(value, int) and 0 <= value < 2**64 for value in values)


def _sorted(steps: Mapping[str, Column], rows: slice, before: Column) -> Column:
    own: Column = np.stack([before, *(steps[name][rows].astype(np.uint64) for name in _OWN)])
    return own[:, np.lexsort(own)]
