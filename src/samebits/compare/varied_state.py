"""Comparing what a run came to where its operations are meant to be others."""

from __future__ import annotations

from dataclasses import replace

from samebits.compare.artifacts import saved_divergence
from samebits.compare.divergence import compare_traces
from samebits.compare.printed_text import differing_lines, untagged
from samebits.compare.steps import first_step_divergence
from samebits.compare.verdict import Divergence
from samebits.trace.names import printable
from samebits.trace.reader import Trace


def state_divergence(first: Trace, other: Trace, repeated: Trace | None) -> Divergence | None:
    """Where the state of training, a saved file or a printed line parts.

    Parameters and the optimizer's state are compared after each step, then the tensors in saved
    files, then printed lines.

    Args:
        first: A run.
        other: A run of the same script that takes other operations to the same end.
        repeated: A second run like the first: lines that it prints differently tell nothing.

    Returns:
        The divergence, with the line of the first operation that is another one; None where
        everything agrees.

    Raises:
        TraceError: A run folder is damaged.
    """
    found = first_step_divergence(
        first,
        other,
        same_level=True,
        open_ends=(False, False),
        only=("parameters", "optimizer"),
    )
    found = found or saved_divergence(first, other, "tensors")
    found = found or printed_otherwise(
        first.output(), other.output(), None if repeated is None else repeated.output()
    )
    if found is None or found.file is not None:
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
