"""Compares the operations and the steps that one process of each of two runs has recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from samebits.check.diff.correspondence import Correspondence, base_name
from samebits.check.diff.rows import first_row_divergence
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.verdict import Divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import OpRow
from samebits.check.trace.schema import STEP_DIGESTS
from samebits.core.names import printable

_NOT_AT_ITS_END = ("stopped-at-step", "stopped-at-row", "running")
"""How a process ends that was stopped, or a thread that was running when its process ended."""


@dataclass
class OperationsComparison:
    """What came out.

    Attributes:
        divergence: The first difference.
        overwritten: Draws before it that gave other numbers and were overwritten.
        reordered: The first row of each passage that came in another order, each with the same
            result.
        dropped: Rows that read memory which nobody had written, and of which nothing came.
        set_aside: The divergence that the first of these is, reordered or dropped, should it turn
            out to matter.
        unaffected: Sentences on data that differed and changed no result.
        entered: The first of these.
    """

    divergence: Divergence | None = None
    overwritten: list[OpRow] = field(default_factory=list)
    reordered: list[OpRow] = field(default_factory=list)
    dropped: list[OpRow] = field(default_factory=list)
    set_aside: Divergence | None = None
    unaffected: list[str] = field(default_factory=list)
    entered: Divergence | None = None

    def explains(self, found: Divergence) -> bool:
        """Whether what was set aside may be behind what differs elsewhere in the run."""
        return not found.processes and found.kind not in ("output", "inserted")


def compare_operations(
    a: Trace, b: Trace, files: Correspondence, digests: Sequence[str] = STEP_DIGESTS
) -> OperationsComparison:
    """The earlier of the first differing operation and the first differing step.

    Args:
        a: What a process of run A has recorded.
        b: The same of run B.
        files: Which files of A are which of B.
        digests: Those of a step that count.

    Raises:
        TraceError: A trace is damaged.
    """
    result = OperationsComparison()
    found = [
        first
        for rank in sorted(set(a.ranks) & set(b.ranks))
        if (first := _rank_divergence(a, b, rank, files, digests, result)) is not None
    ]
    if found:
        # min keeps the lowest rank among equals.
        result.divergence = min(found, key=lambda divergence: divergence.step)
    return result


def ends_early(trace: Trace) -> bool:
    """Whether a process may have had more to do where its rows end."""
    return trace.cut or trace.manifest.exit["reason"] in _NOT_AT_ITS_END


def _rows_end_early(trace: Trace) -> bool:
    """Whether a process or thread may have computed on after its last row."""
    return ends_early(trace) or trace.manifest.operations_left_out


def _rank_divergence(
    a: Trace,
    b: Trace,
    rank: int,
    files: Correspondence,
    digests: Sequence[str],
    result: OperationsComparison,
) -> Divergence | None:
    open_ends = (ends_early(a), ends_early(b))
    same_level = a.manifest.level == b.manifest.level
    by_row = None
    if same_level and (a.count_ops(rank) or b.count_ops(rank)):
        rows = first_row_divergence(
            a,
            b,
            rank=rank,
            lines=not files.edited,
            files=files,
            open_ends=(_rows_end_early(a), _rows_end_early(b)),
            effects_unseen=any(t.manifest.exit["reason"] == "stopped-at-row" for t in (a, b)),
        )
        by_row = rows.divergence
        if by_row is None and rows.entered is not None:
            result.entered = result.entered or rows.entered
            file, number = rows.entered.file, rows.entered.line
            line = "" if file is None else f" at {printable(base_name(file), 80)}:{number}"
            left_out = a.manifest.operations_left_out or b.manifest.operations_left_out
            kind = "recorded result" if left_out else "result"
            result.unaffected.append(f"input data differed{line}, but no {kind} was affected")
        result.overwritten += rows.overwritten
        result.reordered += rows.reordered
        result.dropped += rows.dropped
        result.set_aside = result.set_aside or rows.set_aside
    by_step = first_step_divergence(
        a, b, rank=rank, same_level=same_level, open_ends=open_ends, only=digests
    )
    # An operation says more than a step's digest, unless the step came before it.
    if by_row is None or (by_step is not None and by_step.step < by_row.step):
        return result.set_aside if by_step is not None and result.set_aside is not None else by_step
    return by_row
