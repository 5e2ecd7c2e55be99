"""Compares the variables of one process of each of two runs that were traced, thread by thread."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from samebits.check.diff.value_calls import CallEnds
from samebits.check.diff.value_lines import RESULT, FlowDifference, ValueDifference
from samebits.check.trace import values_format as form
from samebits.check.trace.values_format import PlaceKind, ValueKind
from samebits.check.trace.values_reader import ProcessValues, ProgramPoint, Stream

_EVENTS_AT_ONCE = 4096
_MOST_CALLS = 1000
"""Calls at most that went another way and came to the same."""

Numbers = npt.NDArray[Any]


class Moment(NamedTuple):
    """Orders what happened in several processes; at one moment, children come before parents."""

    milliseconds: int
    depth: int
    event: int


class _Streams:
    """One thread's events in both runs."""

    def __init__(self, of_a: ProcessValues, of_b: ProcessValues, a: Stream, b: Stream) -> None:
        self.a, self.b = a, b
        self._processes = of_a, of_b

    @cached_property
    def _calls(self) -> tuple[CallEnds, CallEnds]:
        return CallEnds(self._processes[0], self.a), CallEnds(self._processes[1], self.b)

    def ends_of_call(self, at_a: int, at_b: int) -> tuple[int, int] | None:
        """Where the call ends that is under way after an event; None unless it gave the same."""
        if at_a < 0 or at_b < 0:
            return None
        of_a, of_b = self._calls
        end_a, end_b = of_a.after(at_a), of_b.after(at_b)
        if end_a is None or end_b is None:
            return None
        result = of_a.result(end_a)
        return (end_a, end_b) if result is not None and result == of_b.result(end_b) else None


@dataclass
class ComparedThread:
    """What one thread's comparison found."""

    lines: list[tuple[Moment, ValueDifference]]
    flows: list[tuple[Moment, FlowDifference]]
    further: list[tuple[Moment, ValueDifference]]
    events: int


class ProcessPair:
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

    def compare(self, thread: str, most: int) -> ComparedThread:
        """Compare one thread to where its ways diverge, and beyond where that came to nothing."""
        both = _Streams(self.a, self.b, self.a.streams[thread], self.b.streams[thread])
        end = self._alike(both, 0, 0)
        part = ComparedThread([], [], [], end)
        if end < max(len(both.a.places), len(both.b.places)):
            part.flows.append((self._moment(both.a, end), self._flow(thread, both.a, both.b, end)))
        part.lines.extend(self._values(thread, both, (0, 0), end, most))
        for begins, length in self._beyond(both, end):
            part.further.extend(self._values(thread, both, begins, length, most))
            if len(part.further) >= 4 * most:
                break
        return part

    def _alike(self, both: _Streams, begin_a: int, begin_b: int) -> int:
        """How many events from there on are at the same places in both runs."""
        alike, width = 0, _EVENTS_AT_ONCE
        while True:
            of_a = self._shared_a[both.a.places[begin_a + alike : begin_a + alike + width]]
            of_b = self._shared_b[both.b.places[begin_b + alike : begin_b + alike + width]]
            shared = min(len(of_a), len(of_b))
            diverged = np.flatnonzero(of_a[:shared] != of_b[:shared])
            if len(diverged):
                return alike + int(diverged[0])
            alike += shared
            if shared < width:
                return alike
            width *= 4

    def _beyond(self, both: _Streams, end: int) -> Iterator[tuple[tuple[int, int], int]]:
        """Where runs go the same way again, after a call that gave back the same in both.

        Yields:
            The events of A and B at which they do, and for how many events.
        """
        at_a = at_b = end
        for _ in range(_MOST_CALLS):
            over = both.ends_of_call(at_a - 1, at_b - 1)
            if over is None:
                return
            at_a, at_b = over[0] + 1, over[1] + 1
            length = self._alike(both, at_a, at_b)
            if not length:
                return
            yield (at_a, at_b), length
            at_a, at_b = at_a + length, at_b + length

    def _moment(self, stream: Stream, event: int) -> Moment:
        last = min(event, len(stream.moments) - 1)
        return Moment(int(stream.moments[last]) if last >= 0 else 0, self._depth, event)

    def _values(
        self, thread: str, both: _Streams, begins: tuple[int, int], length: int, most: int
    ) -> Iterator[tuple[Moment, ValueDifference]]:
        a, b = both.a, both.b
        places = a.places[begins[0] : begins[0] + length]
        counts = self.a.counts[places]
        before = np.cumsum(counts) - counts
        slots = np.arange(int(counts.sum())) - np.repeat(before, counts)
        of_a, of_b = (
            process.values[np.repeat(stream.first_value[begin : begin + length], counts) + slots]
            for process, stream, begin in ((self.a, a, begins[0]), (self.b, b, begins[1]))
        )
        events = np.repeat(np.arange(length), counts)
        calls = np.array(
            [number for number, p in self.a.places.items() if p.kind is PlaceKind.CALL], np.int64
        )
        # The first value of a call says where it came from: a number of this run alone.
        is_caller = (slots == 0) & np.isin(places[events], calls)
        differ = np.flatnonzero((of_a != of_b) & ~is_caller)
        if not len(differ):
            return
        _, firsts = np.unique(places[events[differ]], return_index=True)
        for first in np.sort(firsts)[: 4 * most]:
            event = int(events[differ[first]])
            among = differ[events[differ] == event]
            at_a, at_b = begins[0] + event, begins[1] + event
            found = self._difference(thread, a, at_a, slots[among], of_a[among])
            idle = both.ends_of_call(at_a, at_b) is not None
            yield self._moment(a, at_a), replace(found, idle=idle)

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
