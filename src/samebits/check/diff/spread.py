"""How a difference goes on after the operation that it began in, to the end of that step."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from samebits.check.diff.align import align_keys
from samebits.check.diff.correspondence import correspondence
from samebits.check.diff.keys import row_keys
from samebits.check.diff.reordered import differing
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Site, Trace
from samebits.check.trace.rows import Column, OpRow

Part = Literal["begins", "carries", "absorbs"]

_COLUMNS = ("outputs", "flags", "site", "step", "phase", "inputs")


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
    if begin >= a.count_ops() or begin_b >= b.count_ops():
        return None
    columns = a.ops(_COLUMNS).columns, b.ops(_COLUMNS).columns
    here, there = (
        _of_step(one, row, found.step) for one, row in zip(columns, (begin, begin_b), strict=True)
    )
    if not (len(here) and len(there)):
        return None
    given, gave = _differences((a, b), columns, (here, there))
    touched = np.flatnonzero(given | gave)
    if not len(touched) or touched[0] != 0:
        return None
    site, phase = (columns[0][name][here] for name in ("site", "phase"))
    edges = _stretches(touched, site, phase)
    chosen = [touched[start:end] for start, end in edges]
    firsts = [int(rows[gave[rows]][0] if gave[rows].any() else rows[0]) for rows in chosen[:most]]
    shown = [
        _stretch(row, rows, gave)
        for row, rows in zip(a.rows(begin + first for first in firsts), chosen, strict=False)
    ]
    return Spread(step=found.step, stretches=tuple(shown), left_out=max(0, len(chosen) - most))


def _of_step(columns: Mapping[str, Column], begin: int, step: int) -> range:
    """The rows from one on that belong to its step."""
    steps = columns["step"][begin:]
    other = np.flatnonzero(steps != step)
    return range(begin, begin + (int(other[0]) if len(other) else len(steps)))


def _differences(
    traces: tuple[Trace, Trace],
    columns: tuple[Mapping[str, Column], Mapping[str, Column]],
    rows: tuple[range, range],
) -> tuple[Column, Column]:
    """For each row of run A: whether it was given other bits, and whether it gave other bits."""
    files = correspondence(*traces)
    lines = not files.edited
    keys = [
        row_keys(trace, lines=lines, files=of)[one.start : one.stop].copy()
        for trace, of, one in zip(traces, (files.a, files.b), rows, strict=True)
    ]
    given, gave = (np.zeros(len(rows[0]), bool) for _ in range(2))
    for first, other, length in align_keys(keys[0], keys[1]).blocks.tolist():
        mine, theirs = (
            {name: of[name][start : start + length] for name in ("outputs", "flags", "inputs")}
            for of, start in zip(
                columns, (rows[0].start + first, rows[1].start + other), strict=True
            )
        )
        gave[first : first + length] = differing(mine, theirs)
        given[first : first + length] = mine["inputs"] != theirs["inputs"]
    return given, gave


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
