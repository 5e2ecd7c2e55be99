"""Where the variables of two traced runs begin to differ, and where the runs take other lines.

Both runs followed the same lines up to some point, and in each the same variables were looked at
after each line. The first value that differs was made on that line, or on the way to it by
something that the program did not write down in a variable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from samebits.check.diff.value_lines import FlowDifference, ValueDifference
from samebits.check.diff.value_pair import Moment, ProcessPair
from samebits.check.trace.values_format import MAIN_PROCESS
from samebits.check.trace.values_reader import read_values

MOST_LINES = 20
"""Lines that are named at most, of the script's own main thread and of all others."""


@dataclass(frozen=True, kw_only=True)
class ValueDifferences:
    """Where two runs' variables diverge.

    Attributes:
        lines: Lines after which values differ, in the order in which run A first ran them, each
            line once, at most 20 that the script's own main thread ran, and 20 others. Up to
            `flow`: beyond it there is nothing to compare.
        flow: Where the runs took different ways first; None when they ran the same lines.
        further: The same of lines beyond `flow`, where the calls that had gone another way came to
            the same in both runs.
        events: Lines, calls and ends of calls that were compared.
        notes: What could not be compared, in sentences.
        folder: Run A's folder, which says more of the values than that they differ.
    """

    lines: tuple[ValueDifference, ...] = ()
    flow: FlowDifference | None = None
    further: tuple[ValueDifference, ...] = ()
    events: int = 0
    notes: tuple[str, ...] = ()
    folder: str = ""

    @property
    def first(self) -> ValueDifference | None:
        """The first line after which a variable differs."""
        return self.lines[0] if self.lines else None

    @property
    def place(self) -> tuple[str, int, str] | None:
        """(file, line, function) of the first value that differs, else where the ways diverge."""
        found = self.first or self.flow
        return None if found is None else (found.file, found.line, found.function)


def first_value_differences(
    a: str | os.PathLike[str], b: str | os.PathLike[str], *, most: int = MOST_LINES
) -> ValueDifferences:
    """Compare the variables of two runs that were traced.

    Args:
        a: Run folder of one run.
        b: Run folder of the other.
        most: Lines of the script's own main thread that are named at most, and of all others.

    Raises:
        TraceError: A trace is damaged.
    """
    theirs_a, theirs_b = read_values(a), read_values(b)
    lines: list[tuple[Moment, ValueDifference]] = []
    flows: list[tuple[Moment, FlowDifference]] = []
    further: list[tuple[Moment, ValueDifference]] = []
    notes = []
    events = 0
    if not theirs_a or not theirs_b:
        notes.append(
            "values were traced in neither run"
            if not (theirs_a or theirs_b)
            else f"values were traced in run {'A' if theirs_a else 'B'} only"
        )
    for process in theirs_a.keys() & theirs_b.keys():
        pair = ProcessPair(theirs_a[process], theirs_b[process])
        for thread in sorted(pair.a.streams.keys() & pair.b.streams.keys()):
            part = pair.compare(thread, most)
            lines += part.lines
            flows += part.flows
            further += part.further
            events += part.events
        notes += pair.notes()
    for process in sorted(theirs_a.keys() ^ theirs_b.keys() if theirs_a and theirs_b else ()):
        notes.append(f"process {process} ran in run {'A' if process in theirs_a else 'B'} only")
    lines.sort(key=lambda found: found[0])
    flows.sort(key=lambda found: found[0])
    further.sort(key=lambda found: found[0])
    return ValueDifferences(
        lines=tuple(_at_most(most, _once_a_line(found for _, found in lines))),
        flow=flows[0][1] if flows else None,
        further=tuple(_at_most(most, _once_a_line(found for _, found in further))),
        events=events,
        notes=tuple(notes),
        folder=os.fspath(a),
    )


def _once_a_line(found: Iterator[ValueDifference]) -> Iterator[ValueDifference]:
    seen = set()
    for one in found:
        if (one.file, one.line) not in seen:
            seen.add((one.file, one.line))
            yield one


def _at_most(most: int, found: Iterator[ValueDifference]) -> Iterator[ValueDifference]:
    """Not all first: what workers have computed would hide where the script takes it up."""
    counts = {True: 0, False: 0}
    for one in found:
        is_main = one.process == MAIN_PROCESS and not one.thread
        counts[is_main] += 1
        if counts[is_main] <= most:
            yield one
