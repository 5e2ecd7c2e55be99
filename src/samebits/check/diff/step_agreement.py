"""Operation by operation, where two runs agree from one of them on to the end of its step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from samebits.check.diff.align import align_keys
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.keys import row_keys
from samebits.check.diff.reordered import differing
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import Column
from samebits.check.trace.schema import Flag

_COLUMNS = ("outputs", "flags", "site", "step", "phase", "inputs")
_UNTOLD = int(Flag.VIEW | Flag.SCRATCH | Flag.OPAQUE)


@dataclass(frozen=True)
class StepAgreement:
    """The rows of run A from one on to the end of its step.

    Attributes:
        begin: The number of the first of them.
        given: Whether each was given other bits than in run B; shape (rows,).
        gave: Whether it gave other bits.
        counterpart: The number of its row in run B, -1 where that has none.
        site: Its site.
        phase: Its phase.
        told: Whether its row tells of its result: it is no view, and no working space.
    """

    begin: int
    given: Column
    gave: Column
    counterpart: Column
    site: Column
    phase: Column
    told: Column


def step_agreement(a: Trace, b: Trace, begin: tuple[int, int], step: int) -> StepAgreement | None:
    """Compare two runs from one operation on to the end of its step.

    Args:
        a: Run A.
        b: Run B.
        begin: The row in each of them.
        step: The step.

    Returns:
        None where the rows do not belong to that step in both.

    Raises:
        TraceError: A trace is damaged.
    """
    if begin[0] >= a.count_ops() or begin[1] >= b.count_ops():
        return None
    columns = a.ops(_COLUMNS).columns, b.ops(_COLUMNS).columns
    here, there = (_of_step(one, row, step) for one, row in zip(columns, begin, strict=True))
    if not (len(here) and len(there)):
        return None
    files = correspondence(a, b)
    keys = [
        row_keys(trace, lines=not files.edited, files=of)[one.start : one.stop].copy()
        for trace, of, one in zip((a, b), (files.a, files.b), (here, there), strict=True)
    ]
    given, gave = (np.zeros(len(here), bool) for _ in range(2))
    counterpart = np.full(len(here), -1, np.int64)
    for first, other, length in align_keys(keys[0], keys[1]).blocks.tolist():
        mine, theirs = (
            {name: of[name][start : start + length] for name in ("outputs", "flags", "inputs")}
            for of, start in zip(columns, (here.start + first, there.start + other), strict=True)
        )
        gave[first : first + length] = differing(mine, theirs)
        given[first : first + length] = mine["inputs"] != theirs["inputs"]
        counterpart[first : first + length] = np.arange(length) + there.start + other
    site, phase, flags = (columns[0][name][here] for name in ("site", "phase", "flags"))
    return StepAgreement(begin[0], given, gave, counterpart, site, phase, (flags & _UNTOLD) == 0)


def _of_step(columns: Mapping[str, Column], begin: int, step: int) -> range:
    """The rows from one on that belong to its step."""
    steps = columns["step"][begin:]
    other = np.flatnonzero(steps != step)
    return range(begin, begin + (int(other[0]) if len(other) else len(steps)))
