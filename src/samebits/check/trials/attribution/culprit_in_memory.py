"""The line to blame where memory was read that nothing had written to: where it was made."""

from __future__ import annotations

from collections.abc import Sequence

from samebits.check.causes.culprit import Culprit
from samebits.check.diff.process_traces import of_one_process
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.process_folders import owner_of
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.schema import Flag
from samebits.check.trace.values_format import MAIN_PROCESS
from samebits.core.catalog import memory

_ROWS_LOOKED_BACK = 200_000


def of_allocation(found: Divergence, run: Trace, side: int = 0) -> Culprit | None:
    """Where the memory was made that the diverging operation read before it was written.

    It is taken to be the last allocation before it that nothing was written to at once, with the
    same dtype and shape where there is one, else with the same dtype, else any. Another thread may
    have made it: where the own one has none of that dtype and shape, and all of the others' stand
    at one line, it is that. Where it is a copy of what nothing had written to, it is what was
    copied.

    Args:
        found: The divergence.
        run: The run.
        side: 0 for run A's row, 1 for run B's.

    Raises:
        TraceError: The run folder is damaged.
    """
    row = found.rows[side]
    if row is None:
        return None
    name = found.processes[side] if found.processes else MAIN_PROCESS
    own = (None if name == MAIN_PROCESS else run.process(name)) or run
    wanted = own.row(row).signature
    dtype = wanted.partition("[")[0]
    made = _allocations(own.rows(_until(row)))
    same = [r for r in made if r.signature == wanted]
    if not same:
        of_others = _of_other_threads(run, name, wanted)
        if of_others is not None:
            return _of_row(of_others)
    alike = [r for r in made if r.signature.partition("[")[0] == dtype]
    likeliest = same or alike or made
    return _of_row(_copied_from(likeliest[-1], made)) if likeliest else None


def _of_other_threads(run: Trace, own: str, signature: str) -> OpRow | None:
    """The allocation of that dtype and shape, where other threads have it at one line alone."""
    found = [
        row
        for name, trace in of_one_process(run, owner_of(own))
        if name != own
        for row in _allocations(trace.rows(_until(trace.count_ops())))
        if row.signature == signature
    ]
    return found[0] if len({row.site for row in found}) == 1 else None


def _until(end: int) -> range:
    return range(max(0, end - _ROWS_LOOKED_BACK), end)


def _allocations(rows: Sequence[OpRow]) -> list[OpRow]:
    return [
        row
        for number, row in enumerate(rows)
        if row.flags & Flag.SCRATCH
        and row.site is not None
        and not _filled(row, rows[number + 1 :][:2])
    ]


def _copied_from(row: OpRow, made: Sequence[OpRow]) -> OpRow:
    """Of a copy of unwritten memory the allocation before it of that shape; else the row itself."""
    if _operation(row) not in memory.COPIES:
        return row
    shape = row.signature.partition("[")[2]
    earlier = [
        r
        for r in made[: made.index(row)]
        if _operation(r) not in memory.COPIES and r.signature.partition("[")[2] == shape
    ]
    return earlier[-1] if earlier else row


def _operation(row: OpRow) -> str:
    return row.op.removeprefix("aten.").partition(".")[0]


def _filled(made: OpRow, following: Sequence[OpRow]) -> bool:
    """Whether memory is filled right after it was allocated, on the same line."""
    return any(
        row.flags & Flag.INPLACE and row.signature == made.signature and row.site == made.site
        for row in following
    )


def _of_row(row: OpRow) -> Culprit:
    assert row.site is not None
    return Culprit(file=row.site.file, line=row.site.line, detail=row.op, operation=row.op)
