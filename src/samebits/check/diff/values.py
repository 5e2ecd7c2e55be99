"""Where the variables of two traced runs begin to differ, and where the runs take other lines.

Both runs followed the same lines up to some point, and in each the same variables were looked at
after each line. The first value that differs was made on that line, or on the way to it by
something that the program did not write down in a variable.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from samebits.check.trace import values_format as form
from samebits.check.trace.values_format import MAIN_PROCESS, PlaceKind, ValueKind
from samebits.check.trace.values_reader import ProcessValues, ProgramPoint, Stream, read_values

MOST_LINES = 20
"""Lines that are named at most, of the script's own main thread and of all others."""

Numbers = npt.NDArray[Any]


@dataclass(frozen=True, kw_only=True)
class ValueDifference:
    """A line after which variables held other values in the other run.

    Attributes:
        file: Path as the interpreter knew it.
        line: The line; for an argument, the line that made the call.
        function: The function that the line stands in.
        names: The variables, as the line mentions them: `labels`, `self.labels`; an argument's
            name; "return value" for what a call gave back or yielded.
        kinds: For each name, what kind of value it held in run A: "list", "int", …
        role: "variable", "argument" or "result".
        callee: For an argument, the function that was called; "" otherwise.
        visit: How many times the line had run, counted from 1, in its thread.
        process: "0" for the recorded process, "0-1" for its first forked child.
        thread: Name of the thread; "" for the one that its process began with.
    """

    file: str
    line: int
    function: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    role: str = "variable"
    callee: str = ""
    visit: int = 1
    process: str = form.MAIN_PROCESS
    thread: str = ""

    @property
    def name(self) -> str:
        """The first of the variables."""
        return self.names[0]


@dataclass(frozen=True, kw_only=True)
class FlowDifference:
    """The line after which the runs took different ways: a branch, a loop's end, a call.

    Attributes:
        file: Path of the file that the line stands in.
        line: The last line that both ran.
        function: The function that it stands in.
        next_a: Where run A went on: "FILE:LINE", "call of FUNCTION", "end of FUNCTION"; "" when
            its trace ends there.
        next_b: Where run B went on.
        process: As in `ValueDifference`.
        thread: As in `ValueDifference`.
    """

    file: str
    line: int
    function: str
    next_a: str
    next_b: str
    process: str = form.MAIN_PROCESS
    thread: str = ""


@dataclass(frozen=True, kw_only=True)
class ValueDifferences:
    """Where two runs' variables diverge.

    Attributes:
        lines: Lines after which values differ, in the order in which run A first ran them, each
            line once, at most 20 that the script's own main thread ran, and 20 others. Up to
            `flow`: beyond it there is nothing to compare.
        flow: Where the runs took different ways first; None when they ran the same lines.
        events: Lines, calls and ends of calls that were compared.
        notes: What could not be compared, in sentences.
        folder: Run A's folder, which says more of the values than that they differ.
    """

    lines: tuple[ValueDifference, ...] = ()
    flow: FlowDifference | None = None
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


class _Moment(NamedTuple):
    """Orders what happened in several processes; at one moment, children come before parents."""

    milliseconds: int
    depth: int
    event: int


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
    lines: list[tuple[_Moment, ValueDifference]] = []
    flows: list[tuple[_Moment, FlowDifference]] = []
    notes = []
    events = 0
    if not theirs_a or not theirs_b:
        notes.append(
            "values were traced in neither run"
            if not (theirs_a or theirs_b)
            else f"values were traced in run {'A' if theirs_a else 'B'} only"
        )
    for process in theirs_a.keys() & theirs_b.keys():
        pair = _Pair(theirs_a[process], theirs_b[process])
        for thread in sorted(pair.a.streams.keys() & pair.b.streams.keys()):
            part = pair.compare(thread, most)
            lines += part.lines
            flows += part.flows
            events += part.events
        notes += pair.notes()
    for process in sorted(theirs_a.keys() ^ theirs_b.keys() if theirs_a and theirs_b else ()):
        notes.append(f"process {process} ran in run {'A' if process in theirs_a else 'B'} only")
    lines.sort(key=lambda found: found[0])
    flows.sort(key=lambda found: found[0])
    return ValueDifferences(
        lines=tuple(_at_most(most, _once_a_line(found for _, found in lines))),
        flow=flows[0][1] if flows else None,
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


@dataclass
class _Part:
    """What one thread's comparison found."""

    lines: list[tuple[_Moment, ValueDifference]]
    flows: list[tuple[_Moment, FlowDifference]]
    events: int


class _Pair:
    """One process in both runs."""

    def __init__(self, a: ProcessValues, b: ProcessValues) -> None:
        self.a = a
        self.b = b
        self._depth = -a.name.count("-")
        numbers: dict[ProgramPoint, int] = {}
        self._shared_a = _shared_numbers(a, numbers)
        self._shared_b = _shared_numbers(b, numbers)

    def notes(self) -> Iterator[str]:
        """Threads that only one of the runs had."""
        for thread in sorted(self.a.streams.keys() ^ self.b.streams.keys()):
            run = "A" if thread in self.a.streams else "B"
            yield f"thread '{thread}' of process {self.a.name} ran in run {run} only"

    def compare(self, thread: str, most: int) -> _Part:
        """Compare one thread up to where its ways diverge."""
        a, b = self.a.streams[thread], self.b.streams[thread]
        shared = min(len(a.places), len(b.places))
        diverged = np.flatnonzero(
            self._shared_a[a.places[:shared]] != self._shared_b[b.places[:shared]]
        )
        end = int(diverged[0]) if len(diverged) else shared
        part = _Part([], [], end)
        if end < max(len(a.places), len(b.places)):
            part.flows.append((self._moment(a, end), self._flow(thread, a, b, end)))
        part.lines.extend(self._values(thread, a, b, end, most))
        return part

    def _moment(self, stream: Stream, event: int) -> _Moment:
        last = min(event, len(stream.moments) - 1)
        return _Moment(int(stream.moments[last]) if last >= 0 else 0, self._depth, event)

    def _values(
        self, thread: str, a: Stream, b: Stream, end: int, most: int
    ) -> Iterator[tuple[_Moment, ValueDifference]]:
        counts = self.a.counts[a.places[:end]]
        begins = np.cumsum(counts) - counts
        total = int(counts.sum())
        slots = np.arange(total) - np.repeat(begins, counts)
        of_a = self.a.values[np.repeat(a.first_value[:end], counts) + slots]
        of_b = self.b.values[np.repeat(b.first_value[:end], counts) + slots]
        events = np.repeat(np.arange(end), counts)
        calls = np.array(
            [number for number, p in self.a.places.items() if p.kind is PlaceKind.CALL], np.int64
        )
        # The first value of a call says where it came from: a number of this run alone.
        is_caller = (slots == 0) & np.isin(a.places[events], calls)
        differ = np.flatnonzero((of_a != of_b) & ~is_caller)
        if not len(differ):
            return
        _, firsts = np.unique(a.places[events[differ]], return_index=True)
        for first in np.sort(firsts)[: 4 * most]:
            event = int(events[differ[first]])
            among = differ[events[differ] == event]
            found = self._difference(thread, a, event, slots[among], of_a[among])
            yield self._moment(a, event), found

    def _difference(
        self, thread: str, a: Stream, event: int, slots: Numbers, values: Numbers
    ) -> ValueDifference:
        number = int(a.places[event])
        place = self.a.places[number]
        kinds = tuple(_kind(int(value)) for value in values)
        names = tuple(
            _name(place, int(slot), int(value)) for slot, value in zip(slots, values, strict=True)
        )
        line, function, file = place.line, place.function, place.file
        role, callee = "variable", ""
        if place.kind is PlaceKind.CALL:
            role, callee = "argument", place.function
            caller = self.a.places.get(int(self.a.values[int(a.first_value[event])]))
            if caller is not None:
                file, line, function = caller.file, caller.line, caller.function
        elif names[0] == RESULT:
            role = "result"
        return ValueDifference(
            file=file,
            line=line,
            function=function,
            names=names,
            kinds=kinds,
            role=role,
            callee=callee,
            visit=int((a.places[: event + 1] == number).sum()),
            process=self.a.name,
            thread=thread,
        )

    def _flow(self, thread: str, a: Stream, b: Stream, end: int) -> FlowDifference:
        running_a = self._running(self.a, a, end)
        running_b = self._running(self.b, b, end)
        before = self._running(self.a, a, end - 1)
        # Both may still be on the line that decided: in the middle of it, one of them made a call.
        at = running_a if running_a is not None and _line(running_a) == _line(running_b) else before
        at = at or running_a or running_b
        return FlowDifference(
            file=at.file if at is not None else "",
            line=at.line if at is not None else 0,
            function=at.function if at is not None else "",
            next_a=self._next(self.a, a, end, at),
            next_b=self._next(self.b, b, end, at),
            process=self.a.name,
            thread=thread,
        )

    def _next(
        self, process: ProcessValues, stream: Stream, event: int, at: ProgramPoint | None
    ) -> str:
        if event >= len(stream.places):
            return ""
        place = process.places[int(stream.places[event])]
        if place.kind is PlaceKind.CALL:
            return f"call of {place.function}"
        if _line(place) != _line(at):
            return f"{place.file}:{place.line}"
        if place.kind is PlaceKind.END:
            return f"end of {place.function}"
        following = self._running(process, stream, event + 1)
        return "" if following is None else f"{following.file}:{following.line}"

    @staticmethod
    def _running(process: ProcessValues, stream: Stream, event: int) -> ProgramPoint | None:
        """The place of the line that was running at an event: of a call, that of its caller."""
        if not 0 <= event < len(stream.places):
            return None
        place = process.places[int(stream.places[event])]
        if place.kind is not PlaceKind.CALL:
            return place
        return process.places.get(int(process.values[int(stream.first_value[event])]))


RESULT = "return value"


def _shared_numbers(
    process: ProcessValues, numbers: dict[ProgramPoint, int]
) -> npt.NDArray[np.int64]:
    """Number of a place in its run → a number that both runs share, which `numbers` keeps."""
    result = np.full(len(process.counts), -1, np.int64)
    for number, place in process.places.items():
        result[number] = numbers.setdefault(place, len(numbers))
    return result


def _line(place: ProgramPoint | None) -> tuple[str, int] | None:
    return None if place is None else (place.file, place.line)


def _kind(value: int) -> str:
    code = value & ((1 << form.KIND_BITS) - 1)
    return ValueKind(code).name.lower() if code in ValueKind._value2member_map_ else "unknown"


def _name(place: ProgramPoint, slot: int, value: int) -> str:
    """A value's name: of a chain of attributes, as far as it could be followed."""
    number = slot - (place.kind is PlaceKind.CALL)
    if number >= len(place.mentions):
        return RESULT
    depth = value >> form.KIND_BITS & ((1 << form.DEPTH_BITS) - 1)
    return ".".join(place.mentions[number].split(".")[: depth + 1])
