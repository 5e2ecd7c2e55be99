"""The runs of a verdict, and the processes of each that computed, as rows of a table."""

from __future__ import annotations

import math
import signal
from collections.abc import Sequence
from dataclasses import dataclass

from samebits.check.diff.verdict import ProcessSummary, RunSummary
from samebits.check.report.printable import printable_name
from samebits.check.report.source import short_path

_MOST_PROCESSES = 16
"""Of a run; the verdict file has all of them."""


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """One run, or a process of it, as a row of the table; every field is ready to print."""

    name: str
    steps: str
    ops: str
    seconds: str
    exit: str
    folder: str


def run_rows(runs: Sequence[RunSummary]) -> tuple[RunRow, ...]:
    """A row for each run, and under it one for each process of it that computed."""
    rows: list[RunRow] = []
    for number, run in enumerate(runs, start=1):
        rows.append(_run_row(number, run))
        rows += map(_process_row, run.processes[:_MOST_PROCESSES])
        left = len(run.processes) - _MOST_PROCESSES
        if left > 0:
            more = f"  and {left} more"
            rows.append(RunRow(name=more, steps="", ops="", seconds="", exit="", folder=""))
    return tuple(rows)


def exit_text(code: int | None) -> str:
    """An exit code as a person reads it: "0", "SIGKILL" for -9, "?" while unknown."""
    if code is None:
        return "?"
    if code >= 0:
        return str(code)
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _run_row(number: int, run: RunSummary) -> RunRow:
    return RunRow(
        name=str(number) if run.rank is None else f"{number} (rank {run.rank})",
        steps=f"{run.steps:,}",
        ops=f"{run.ops:,}",
        seconds=f"{run.seconds:.1f}" if math.isfinite(run.seconds) else "?",
        exit="timeout" if run.timed_out else exit_text(run.exit_code) + _cut(run),
        folder=short_path(run.folder),
    )


def _process_row(process: ProcessSummary) -> RunRow:
    cut = "" if process.complete else " (cut)"
    return RunRow(
        name=f"  {printable_name(process.label)}",
        steps=f"{process.steps:,}",
        ops=f"{process.ops:,}",
        # One that was killed has not said how long it ran.
        seconds=f"{process.seconds:.1f}" if process.complete or process.seconds else "?",
        exit="" if process.is_thread else exit_text(process.exit_code) + cut,
        folder="",
    )


def _cut(run: RunSummary) -> str:
    return "" if run.complete else " (cut)"
