"""How a difference goes on after the operation that it began in, to the end of that step."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samebits.check.diff.step_agreement import step_agreement
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Site, Trace
from samebits.check.trace.rows import Column, OpRow

Part = Literal["begins", "carries", "absorbs"]


@dataclass(frozen=True, kw_only=True)
class Stretch:
    """Operations of one line, in one phase, that ran one after the other.

    Attributes:
        part: "begins" for the first one; "carries" where results differ; "absorbs" where something
            differs that these operations were given, and no result does.
        phase: "forward", "backward" and so on.
        site: The line, None where none is known.
        row: The number in run A of the first operation that differs, or that was given other bits.
        op: That operation.
        signature: Dtypes and shapes of what it gave.
        operations: How many of the line's operations were given or gave other bits.
        differing: How many of them gave other bits.
    """

    part: Part
    phase: str
    site: Site | None
    row: int
    op: str
    signature: str
    operations: int
    differing: int


@dataclass(frozen=True, kw_only=True)
class Spread:
    """The way of a difference through the step that it began in.

    Attributes:
        step: The step.
        stretches: The lines that it went through, in the order in which they ran.
        left_out: Lines that are not listed, because there are too many.
    """

    step: int
    stretches: tuple[Stretch, ...]
    left_out: int


def spread(found: Divergence, a: Trace, b: Trace, *, most: int = 40) -> Spread | None:
    """Follow a difference from the operation that it began in to the end of the step.

    Rows hold one fingerprint of all that an operation was given. It tells whether that differed,
    not which earlier operation it came from: lines are told in the order in which they ran.

    Args:
        found: Where the runs diverge: an operation that gave other bits.
        a: What the diverging process of run A has recorded.
        b: The same of run B.
        most: Lines at most.

    Returns:
        None where the rows of the operation are not those of these two recordings.

    Raises:
        TraceError: A trace is damaged.
    """
    begin, begin_b = found.rows
    if found.kind != "output" or begin is None or begin_b is None:
        return None
    rows = step_agreement(a, b, (begin, begin_b), found.step)
    if rows is None:
        return None
    touched = np.flatnonzero(rows.given | rows.gave)
    if not len(touched) or touched[0] != 0:
        return None
    edges = _stretches(touched, rows.site, rows.phase)
    chosen = [touched[start:end] for start, end in edges]
    gave = rows.gave
    firsts = [int(one[gave[one]][0] if gave[one].any() else one[0]) for one in chosen[:most]]
    shown = [
        _stretch(row, one, gave)
        for row, one in zip(a.rows(begin + first for first in firsts), chosen, strict=False)
    ]
    return Spread(step=found.step, stretches=tuple(shown), left_out=max(0, len(chosen) - most))


def _stretches(touched: Column, site: Column, phase: Column) -> Iterator[tuple[int, int]]:
    """Where each line begins and ends in `touched`; rows in between that agree are passed over."""
    of_row = np.stack([site[touched].astype(np.int64), phase[touched].astype(np.int64)])
    new = np.flatnonzero((of_row[:, 1:] != of_row[:, :-1]).any(axis=0)) + 1
    edges = [0, *new.tolist(), len(touched)]
    return itertools.pairwise(edges)


def _stretch(row: OpRow, rows: Column, gave: Column) -> Stretch:
    differing = int(gave[rows].sum())
    part: Part = "carries" if differing else "absorbs"
    return Stretch(
        part="begins" if int(rows[0]) == 0 else part,
        phase=row.phase,
        site=row.site,
        row=row.index,
        op=row.op,
        signature=row.signature,
        operations=len(rows),
        differing=differing,
    )
