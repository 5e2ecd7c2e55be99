"""What a run leaves behind beyond its rows: printed text, written files, its exit code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from samebits.check.diff.printed_output import printed_beside, printed_difference
from samebits.check.diff.verdict import Divergence
from samebits.check.diff.written_files import (
    WRITTEN_BESIDE,
    saved_divergence,
    written_beside,
)
from samebits.check.trace.reader import Trace


def notes_beside(a: Trace, b: Trace) -> Iterator[str]:
    """What differs beside the operations, in sentences: the first of each kind."""
    printed = printed_difference(a, b)
    if printed is not None:
        yield printed
    for kind in WRITTEN_BESIDE:
        written = saved_divergence(a, b, kind)
        if written is not None:
            yield written.detail


def divergence_beside(a: Trace, b: Trace) -> Divergence | None:
    """What two runs print, or write into the same file, that differs in more than durations.

    Addresses of objects do not count, nor does the order of lines where threads or processes may
    print them, nor what only one of the runs writes: it may keep it for the next one.

    Args:
        a: Run A.
        b: Run B.
    """
    return printed_beside(a, b) or written_beside(a, b)


def exit_divergence(a: Trace, b: Trace) -> Divergence | None:
    """Exit codes or signals that differ, but where the timeout has ended one and both failed."""
    of_a, of_b = (trace.manifest.exit for trace in (a, b))
    if any(trace.manifest.ending.get("by") == "timeout" for trace in (a, b)) and (
        of_a["code"] != 0 != of_b["code"]
    ):
        return None
    if (of_a["code"], of_a["signal"]) == (of_b["code"], of_b["signal"]):
        return None
    detail = f"run A ends with {_ending(of_a)}, run B with {_ending(of_b)}"
    return Divergence(kind="exit", step=0, phase="setup", op="exit", detail=detail)


def _ending(ending: Mapping[str, Any]) -> str:
    if ending["signal"] is not None:
        return f"signal {ending['signal']}"
    return "no exit code" if ending["code"] is None else f"exit code {ending['code']}"
