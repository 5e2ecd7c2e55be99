"""The first operation that two runs did differently, read off their aligned rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from samebits.check.diff.align import Alignment, align_keys
from samebits.check.diff.correspondence import Correspondence, base_name
from samebits.check.diff.dropped import Dropped, dropped_reads
from samebits.check.diff.keys import row_keys
from samebits.check.diff.overwritten import (
    draws_in_place,
    overwritten_draws,
    vanished_draws,
)
from samebits.check.diff.reordered import Reordered, differing, reordered
from samebits.check.diff.side_by_side import side_by_side
from samebits.check.diff.verdict import (
    CHANGED_BESIDE,
    OTHER_SHAPE,
    PLAIN_ARGUMENTS,
    READS_UNWRITTEN,
    UNEXPLAINED_INPUTS,
    Divergence,
)
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.schema import Flag
from samebits.core.names import printable

_MADE_OUTSIDE = "a tensor that was made outside torch (by NumPy, a loader, a file)"
_MADE_ELSEWHERE = (
    "a tensor that this thread has not made with torch (another thread has, or NumPy, a loader, a "
    "file)"
)


@dataclass(frozen=True)
class RowsResult:
    """What the operations of one rank came to.

    Attributes:
        divergence: The first difference, or None.
        entered: The first row at which data entered that was not the same, or None; where
            `divergence` is None too, that data had no effect on any result.
        alignment: How the rows were aligned.
        overwritten: Draws before the first difference that gave other numbers, all of which were
            overwritten before anything read them.
        reordered: The first row of each passage before it whose operations came in another order,
            each with the same result.
        dropped: Rows before it that read memory which nobody had written; nothing came of it.
        set_aside: The divergence that the first of these is, reordered or dropped, should it turn
            out to matter.
    """

    divergence: Divergence | None
    entered: Divergence | None
    alignment: Alignment
    overwritten: tuple[OpRow, ...] = ()
    reordered: tuple[OpRow, ...] = ()
    dropped: tuple[OpRow, ...] = ()
    set_aside: Divergence | None = None


def first_row_divergence(
    a: Trace,
    b: Trace,
    *,
    rank: int = 0,
    lines: bool = True,
    files: Correspondence | None = None,
    open_ends: tuple[bool, bool],
    effects_unseen: bool = False,
) -> RowsResult:
    """The first aligned row whose outputs differ, or the first row that only one run has.

    Rows flagged scratch or opaque are not compared. Random numbers that were overwritten unread are
    no difference, nor are operations that only came in another order, nor unwritten memory that was
    read and dropped. A difference whose inputs
    differ already, with no recorded operation to explain that, is blamed on data that entered
    differently before, where there is such data.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        lines: Whether line numbers count in the alignment.
        files: Which files of A are which of B; None where they have the same names.
        open_ends: For A and B, whether the run's end is where it was cut or stopped, so that rows
            that the other has beyond it are no finding.
        effects_unseen: Whether one of the runs was ended where data enter: then data that enter
            differently count by themselves, since no result could show it any more.

    Raises:
        TraceError: A trace is damaged.
    """
    files = files or Correspondence()
    keys_a = row_keys(a, rank, lines=lines, files=files.a)
    keys_b = row_keys(b, rank, lines=lines, files=files.b)
    alignment = align_keys(keys_a, keys_b)
    common = alignment.common_start
    gap = _closed_gap(alignment, open_ends)
    differs = _first_difference(a, b, rank, common)
    passages: tuple[int, ...] = ()
    reads: tuple[int, ...] = ()
    begin = 0
    overwritten: tuple[OpRow, ...] = ()
    harmless = None
    # Where a run was ended, what an order has done to the rest cannot be seen.
    if (differs is not None or gap is not None) and not effects_unseen:
        dropped = dropped_reads(a, b, rank, keys_a, keys_b)
        moved = reordered(a, b, rank, keys_a, keys_b, dropped)
        if gap is not None and moved.end > common:
            of_passages = align_keys(keys_a, moved.in_order_of_a(keys_a, keys_b))
            longer, gap_after = of_passages.common_start, _closed_gap(of_passages, open_ends)
            harmless = _harmless(a, b, rank, moved.up_to(longer), gap_after, dropped)
            if harmless is not None:
                alignment, common, gap = of_passages, longer, gap_after
        if harmless is None and differs is not None:
            harmless = _harmless(a, b, rank, moved.up_to(common), gap, dropped)
        if harmless is not None and dropped is not None:
            reads = tuple(row for row in dropped.reads if row < common)
    del keys_a, keys_b
    if harmless is not None:
        differs, passages, begin = harmless.lasting, harmless.passages, harmless.end
    elif differs is not None and draws_in_place(a.row(differs, rank), b.row(differs, rank)):
        lost = overwritten_draws(a, b, rank, common, differs)
        if lost.lasting is not None and gap is None and not effects_unseen:
            vanished = vanished_draws(a, b, rank, common, differs)
            lost = vanished if vanished.draws else lost
        differs, overwritten = lost.lasting, tuple(a.rows(lost.draws, rank))
    first_data = _first_entered(a, b, rank, begin, common if differs is None else differs + 1)
    entered = None if first_data is None else _entered_divergence(a, b, rank, first_data)
    divergence = None
    if differs is not None:
        divergence = _output_divergence(a, b, rank, differs, first_data)
    elif gap is not None:
        divergence = _gap_divergence(a, b, rank, alignment, gap, first_data)
    elif effects_unseen:
        divergence = entered
    return RowsResult(
        divergence,
        entered,
        alignment,
        overwritten,
        tuple(a.rows(passages, rank)),
        tuple(a.rows(reads, rank)),
        _set_aside(a, b, rank, min([*passages[:1], *reads[:1]])) if passages or reads else None,
    )


def _closed_gap(alignment: Alignment, open_ends: tuple[bool, bool]) -> tuple[range, range] | None:
    """The first rows that only one run has, where the other one does not end just there."""
    gap = alignment.first_gap()
    if gap is not None and any(
        is_open and not len(rows) and rows.start == total
        for is_open, rows, total in zip(open_ends, gap, alignment.rows, strict=True)
    ):
        return None
    return gap


def _harmless(
    a: Trace,
    b: Trace,
    rank: int,
    found: Reordered,
    gap: tuple[range, range] | None,
    dropped: Dropped | None,
) -> Reordered | None:
    """What came in another order or was dropped, where nothing after it may be its doing.

    What follows agrees, or the first of it that does not is data that enter from outside, or a draw
    that both runs made there: all draws before it gave the same, in whatever order. Where nothing
    came in another order, it may also be any operation with the same inputs.
    """
    if dropped is None and not found.passages:
        return None
    if found.lasting is None:
        return found if gap is None else None
    if dropped is not None and dropped.suspects[found.lasting]:
        return None
    row, other = a.row(found.lasting, rank), b.row(found.lasting, rank)
    if draws_in_place(row, other) or (not found.passages and row.inputs == other.inputs):
        return found
    entered = _first_entered(a, b, rank, found.end, found.lasting + 1)
    return found if entered is not None else None


def _set_aside(a: Trace, b: Trace, rank: int, row: int) -> Divergence:
    mine, theirs = a.row(row, rank), b.row(row, rank)
    if (mine.op, mine.signature, mine.site) != (theirs.op, theirs.signature, theirs.site):
        return _at(mine, theirs, kind="inserted", detail=_instead(mine, theirs))
    return _output_divergence(a, b, rank, row, _first_entered(a, b, rank, 0, row + 1))


def _first_difference(a: Trace, b: Trace, rank: int, rows: int) -> int | None:
    """The first of the first `rows` rows whose comparable outputs differ."""
    for start, of_a, of_b in side_by_side(a, b, rank, rows):
        differs = differing(of_a, of_b)
        if differs.any():
            return start + int(differs.argmax())
    return None


def _first_entered(a: Trace, b: Trace, rank: int, begin: int, end: int) -> int | None:
    """The first row from `begin` to `end` at which data enter that differ."""
    for start, of_a, of_b in side_by_side(a, b, rank, end):
        # What counts as entering depends on what the recorder still knew: of the many tensors of a
        # list each run may have forgotten others. Where all inputs and outputs agree, it says
        # nothing; those of a view are no contents.
        both = (of_a["data"] != 0) & (of_b["data"] != 0)
        views = (of_a["flags"] & of_b["flags"] & np.uint16(Flag.VIEW)) != 0
        inputs = of_a["inputs"] != of_b["inputs"]
        seen = inputs | (both & (views | (of_a["outputs"] != of_b["outputs"])))
        other = (of_a["data"] != of_b["data"]) & seen
        other[: max(0, begin - start)] = False
        if other.any():
            return start + int(other.argmax())
    return None


def _output_divergence(
    a: Trace, b: Trace, rank: int, index: int, entered: int | None
) -> Divergence:
    row, other = a.row(index, rank), b.row(index, rank)
    # A generator that fills memory in place says nothing about what stood there before.
    fills = bool(row.flags & Flag.RANDOM and row.flags & Flag.INPLACE)
    inputs_differ = row.inputs != other.inputs and not fills
    if entered is not None and (inputs_differ or entered == index):
        return _entered_divergence(a, b, rank, entered)
    if inputs_differ:
        detail = CHANGED_BESIDE if a.has_threads or b.has_threads else UNEXPLAINED_INPUTS
    elif row.args != other.args:
        detail = PLAIN_ARGUMENTS
    elif (row.flags | other.flags) & Flag.READS_UNWRITTEN and not row.flags & Flag.RANDOM:
        detail = READS_UNWRITTEN
    else:
        detail = "its output differs, although all its inputs agree"
    return _at(row, other, kind="output", detail=detail)


def same_operation_otherwise(row: OpRow, other: OpRow) -> Divergence:
    """The divergence of an operation that two runs gave the same and that gave another result."""
    detail = "its output differs, although all its inputs agree"
    return _at(row, other, kind="output", detail=detail)


def _entered_divergence(a: Trace, b: Trace, rank: int, index: int) -> Divergence:
    row, other = a.row(index, rank), b.row(index, rank)
    received = (row.flags | other.flags) & Flag.RECEIVED
    made = _MADE_ELSEWHERE if a.has_threads or b.has_threads else _MADE_OUTSIDE
    detail = "a tensor that was received from another process" if received else made
    return _at(
        row, other, kind="output", data=True, detail=f"{detail} differs where it is first used"
    )


def _gap_divergence(
    a: Trace,
    b: Trace,
    rank: int,
    alignment: Alignment,
    gap: tuple[range, range],
    entered: int | None,
) -> Divergence:
    if entered is not None:
        return _entered_divergence(a, b, rank, entered)
    # A row that is not aligned may still stand opposite another: both are worth naming.
    row, other = (
        trace.row(rows.start, rank) if rows.start < total else None
        for trace, rows, total in zip((a, b), gap, alignment.rows, strict=True)
    )
    only_a, only_b = (len(rows) for rows in gap)
    if only_a and only_b and row is not None and other is not None:
        if (row.op, row.site) == (other.op, other.site) and row.data != other.data:
            detail = f"{OTHER_SHAPE}: {_shown(row.signature)} in A, {_shown(other.signature)} in B"
            return _at(row, other, kind="output", data=True, detail=detail)
        return _at(row, other, kind="inserted", detail=_instead(row, other))
    if only_a:
        assert row is not None
        detail = f"only run A does {_counted(only_a)} here, from {_named(row)} on"
        return _at(row, None, kind="inserted", detail=detail)
    assert other is not None
    detail = f"only run B does {_counted(only_b)} here, from {_named(other)} on"
    return _at(None, other, kind="inserted", detail=detail)


def _at(
    row: OpRow | None, other: OpRow | None, *, kind: str, detail: str, data: bool = False
) -> Divergence:
    shown = row or other
    assert shown is not None
    site = shown.site
    return Divergence(
        kind="output" if kind == "output" else "inserted",
        step=shown.step,
        phase=shown.phase,
        op=_shown(shown.op),
        module=_shown(site.module) if site else "",
        file=printable(site.file, 4096) if site else None,
        line=site.line if site and site.line > 0 else None,
        function=_shown(site.function) if site else None,
        signature=_shown(shown.signature),
        rows=(row.index if row else None, other.index if other else None),
        random=bool(shown.flags & Flag.RANDOM),
        data=data,
        detail=detail,
    )


def _shown(text: str) -> str:
    return printable(text, 200)


def _named(row: OpRow) -> str:
    return f"{_shown(row.op)} ({_shown(row.signature)})"


def _instead(row: OpRow, other: OpRow) -> str:
    """What each run does here: by its place, where the operations are the same."""
    mine, theirs = _named(row), _named(other)
    if mine != theirs:
        return f"run A does {mine} here, run B does {theirs}"
    mine, theirs = _place(row), _place(other)
    if mine != theirs:
        return f"both runs do {_named(row)} next, run A {mine}, run B {theirs}"
    return "from here on the runs differ in their operations or in the order of these"


def _place(row: OpRow) -> str:
    site = row.site
    if site is None:
        return "outside the user's code"
    at = f"at {_shown(base_name(site.file))}:{site.line} in {_shown(site.function)}"
    return f"{at}, for the module {_shown(site.module)}" if site.module else at


def _counted(rows: int) -> str:
    return "one operation" if rows == 1 else f"{rows} operations"
