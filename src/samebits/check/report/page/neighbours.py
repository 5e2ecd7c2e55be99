"""Operations that differ, each with what stands before and after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from samebits.check.diff.agreement_map import OperationsMap
from samebits.check.report.printable import printable_name
from samebits.check.report.source import place_text, quote
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow, OpsBatch, op_row
from samebits.check.trace.schema import Flag

MOST_DETAILS = 400
"""Cells that say more of the operation in them; they come in the order of the run."""

AROUND = 2
"""Operations that are shown before and after one."""


@dataclass(frozen=True, kw_only=True)
class RowView:
    """One operation in both runs; every field is ready to print.

    Attributes:
        row: Its number in run A.
        op: "aten.addmm".
        signature: "float32[32, 64]".
        place: "train.py:12 in forward", or "".
        agrees: Whether its outputs have the same bits; None where they are not compared.
    """

    row: int
    op: str
    signature: str
    place: str
    agrees: bool | None


@dataclass(frozen=True, kw_only=True)
class OperationDetail:
    """The first operation of a cell that differs; every field is ready to print.

    Attributes:
        cell: Row and column of the map.
        row: Its number in run A.
        step: The step it belongs to.
        phase: "forward".
        module: Path of its module, or "".
        what: Sentences on what agrees and what differs.
        code: The line of source, or "".
        outputs: The fingerprints of its outputs in A and B, as 16 hex digits.
        rows: The operation itself and its neighbours, in order.
    """

    cell: tuple[int, int]
    row: int
    step: int
    phase: str
    module: str
    what: tuple[str, ...]
    code: str
    outputs: tuple[str, str]
    rows: tuple[RowView, ...]

    def to_json(self) -> dict[str, Any]:
        """What the page's script shows."""
        return asdict(self)


def operation_details(
    a: Trace, b: Trace, rank: int, found: OperationsMap
) -> tuple[OperationDetail, ...]:
    """The details of the first cells that differ.

    Args:
        a: Run A.
        b: Run B.
        rank: Whose operations.
        found: The map that holds the cells.

    Raises:
        TraceError: A trace is damaged.
    """
    chosen = dict(list(found.differing.items())[:MOST_DETAILS])
    wanted_a = {index for row, _ in chosen.values() for index in _around(row)}
    rows_a = _rows(a, rank, wanted_a)
    shift = {row: other - row for row, other in chosen.values()}
    rows_b = _rows(b, rank, {n + by for row, by in shift.items() for n in _around(row)})
    return tuple(_detail(cell, row, other, rows_a, rows_b) for cell, (row, other) in chosen.items())


def _around(row: int) -> range:
    return range(max(0, row - AROUND), row + AROUND + 1)


def _rows(trace: Trace, rank: int, wanted: set[int]) -> dict[int, OpRow]:
    """Those of the wanted rows that there are; the file is read once."""
    sites = trace.sites(rank)
    left = sorted(index for index in wanted if index >= 0)
    found: dict[int, OpRow] = {}
    for batch in trace.iter_ops(rank=rank) if left else ():
        for index in _within(left, batch):
            found[index] = op_row(batch, index, sites)
        if left[-1] < batch.start + len(batch):
            break
    return found


def _within(ordered: list[int], batch: OpsBatch) -> Iterator[int]:
    end = batch.start + len(batch)
    return (index for index in ordered if batch.start <= index < end)


def _detail(
    cell: tuple[int, int],
    index: int,
    other_index: int,
    rows_a: dict[int, OpRow],
    rows_b: dict[int, OpRow],
) -> OperationDetail:
    row, other = rows_a[index], rows_b[other_index]
    views = []
    for number in _around(index):
        one, opposite = rows_a.get(number), rows_b.get(number + other_index - index)
        if one is not None:
            views.append(_view(one, opposite))
    code = ""
    if row.site is not None:
        quoted = quote(row.site.file, row.site.line, around=0)
        code = quoted.lines[0][1].strip() if quoted is not None else ""
    return OperationDetail(
        cell=cell,
        row=row.index,
        step=row.step,
        phase=row.phase,
        module=printable_name(row.site.module, 200) if row.site else "",
        what=tuple(_sentences(row, other)),
        code=code,
        outputs=(f"{row.outputs:016x}", f"{other.outputs:016x}"),
        rows=tuple(views),
    )


def _sentences(row: OpRow, other: OpRow) -> Iterator[str]:
    if row.flags & Flag.RANDOM:
        yield "a random operation: it drew different numbers"
    if row.data != other.data and row.data and other.data:
        yield "an input that entered from outside differs"
    if row.inputs == other.inputs:
        yield "its inputs agree"
    else:
        yield "its inputs differ already"
    if row.args != other.args:
        yield "its plain arguments differ"


def _view(row: OpRow, opposite: OpRow | None) -> RowView:
    place = ""
    if row.site is not None:
        place = place_text(row.site.file, row.site.line)
        if row.site.function:
            place += f" in {printable_name(row.site.function)}"
    return RowView(
        row=row.index,
        op=printable_name(row.op),
        signature=printable_name(row.signature),
        place=place,
        agrees=_agrees(row, opposite),
    )


def _agrees(row: OpRow, opposite: OpRow | None) -> bool | None:
    hidden = Flag.SCRATCH | Flag.OPAQUE
    if opposite is None or opposite.op != row.op or (row.flags | opposite.flags) & hidden:
        return None
    return row.outputs == opposite.outputs
