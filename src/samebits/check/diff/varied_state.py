"""Comparing what a run came to where its operations are meant to be others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from samebits.check.diff.divergence import compare_traces
from samebits.check.diff.keys import row_keys
from samebits.check.diff.printed_text import differing_lines, untagged
from samebits.check.diff.steps import first_step_divergence
from samebits.check.diff.verdict import Divergence
from samebits.check.diff.written_files import saved_divergence
from samebits.check.trace.reader import Trace
from samebits.check.trace.schema import Flag
from samebits.core.names import printable

AFTER_STEPS = ("parameters", "optimizer")
"""The digests of a step that say what it came to."""
OF_STEPS = ("batch", "outputs", "loss", "gradients", *AFTER_STEPS)
"""All digests of a step but that of the generators, which may be others in other processes."""


def state_divergence(
    first: Trace, other: Trace, repeated: Trace | None, digests: Sequence[str]
) -> Divergence | None:
    """Where the state of training, a saved file or a printed line parts.

    Digests are compared after each step, then the tensors in saved
    files, printed lines, and the results of operations that both runs do equally often: what is
    done once a batch is done more often when there are more of them.

    Args:
        first: A run.
        other: A run of the same script that takes other operations to the same end.
        repeated: A second run like the first: lines that it prints differently tell nothing.
        digests: The digests of a step that count.

    Returns:
        The divergence, where only `AFTER_STEPS` count with the line of the first operation that is
        another one; None where everything agrees.

    Raises:
        TraceError: A run folder is damaged.
    """
    found = first_step_divergence(
        first,
        other,
        same_level=True,
        open_ends=(False, False),
        only=digests,
    )
    found = found or saved_divergence(first, other, "tensors")
    found = found or printed_otherwise(
        first.output(), other.output(), None if repeated is None else repeated.output()
    )
    found = found or _common_results(first, other)
    if found is None and not first.manifest.counts["steps"]:
        # What a script leaves that trains nothing: without a step there is no other state.
        found = _last_written(first, other)
    if found is None or digests != AFTER_STEPS:
        return found
    operation = compare_traces(first, other).first_divergence
    if operation is None:
        return found
    return replace(
        found,
        file=operation.file,
        line=operation.line,
        function=operation.function,
        module=operation.module,
    )


@dataclass(frozen=True)
class _Rows:
    """Operations of a run, row by row: what each is, what it gave, and whether in place."""

    keys: npt.NDArray[np.uint64]
    outputs: npt.NDArray[np.uint64]
    in_place: npt.NDArray[np.bool_]


def _common_results(first: Trace, other: Trace) -> Divergence | None:
    """The first operation done equally often in both runs whose results are not the same."""
    mine, theirs = _rows(first), _rows(other)
    counts, others = (
        dict(zip(*np.unique(r.keys, return_counts=True), strict=True)) for r in (mine, theirs)
    )
    common = [key for key, count in counts.items() if others.get(key) == count]
    # Within one key the order is that of the program; sorted by key, the two stand side by side.
    sides = []
    for rows in (mine, theirs):
        chosen = np.flatnonzero(np.isin(rows.keys, common))
        sides.append(chosen[np.argsort(rows.keys[chosen], kind="stable")])
    differing = np.flatnonzero(mine.outputs[sides[0]] != theirs.outputs[sides[1]])
    if not len(differing):
        return None
    pair = min((int(sides[0][n]), int(sides[1][n])) for n in differing)
    return _at(
        first, pair, "an operation that both runs call equally often gives different results"
    )


def _last_written(first: Trace, other: Trace) -> Divergence | None:
    """The first tensor that operations write in place and that ends with other bits.

    A sum or a mean that is kept up to date batch by batch is such a tensor.
    """
    last = []
    for rows in (_rows(first), _rows(other)):
        places = np.flatnonzero(rows.in_place)
        last.append({int(rows.keys[n]): (int(n), int(rows.outputs[n])) for n in places})
    for key, (row, result) in sorted(last[0].items(), key=lambda item: item[1]):
        counterpart = last[1].get(key)
        if counterpart is not None and counterpart[1] != result:
            detail = "what is written in place here ends with different bits"
            return _at(first, (row, counterpart[0]), detail)
    return None


def _at(trace: Trace, rows: tuple[int, int], detail: str) -> Divergence:
    row = trace.row(rows[0])
    site = row.site
    return Divergence(
        kind="output",
        step=row.step,
        phase=row.phase,
        op=printable(row.op),
        module=printable(site.module) if site else "",
        file=printable(site.file, 4096) if site else None,
        line=site.line if site and site.line > 0 else None,
        function=printable(site.function) if site else None,
        signature=printable(row.signature),
        rows=rows,
        detail=detail,
    )


def _rows(trace: Trace) -> _Rows:
    keys = row_keys(trace)
    outputs, flags = np.empty(len(keys), np.uint64), np.empty(len(keys), np.uint16)
    for batch in trace.iter_ops(("outputs", "flags")):
        part = slice(batch.start, batch.start + len(batch))
        outputs[part], flags[part] = batch.columns["outputs"], batch.columns["flags"]
    outputs[(flags & np.uint16(Flag.SCRATCH | Flag.OPAQUE)) != 0] = 0
    return _Rows(keys, outputs, (flags & np.uint16(Flag.INPLACE)) != 0)


def printed_otherwise(
    first: str, other: str, repeated: str | None, names: tuple[str, str] = ("in A", "in B")
) -> Divergence | None:
    """The first printed line that differs for a reason, as a finding.

    Args:
        first: What one run printed, with steps before the lines or without.
        other: What the other one printed.
        repeated: What a second run like the first printed.
        names: What the two runs are called, as an adverbial.
    """
    lines, others = untagged(first.split("\n")), untagged(other.split("\n"))
    again = None if repeated is None else untagged(repeated.split("\n"))
    differing = differing_lines(lines, others, again)
    if not differing:
        return None
    number = differing[0]
    of_a, of_b = (
        f"'{printable(text[number], 120)}'" if number < len(text) else "not there"
        for text in (lines, others)
    )
    detail = f"printed line {number + 1} is {of_a} {names[0]}, and {of_b} {names[1]}"
    return Divergence(kind="printed", step=0, phase="setup", op="print", detail=detail)
