"""Reads what a traced run wrote about its variables; whatever is wrong is a `TraceError`."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from samebits.check.trace import values_format as form
from samebits.check.trace.seal import DAMAGED
from samebits.check.trace.values_format import PlaceKind
from samebits.core.files import open_regular, read_regular
from samebits.core.names import printable
from samebits.errors import TraceError

MAX_PLACES_BYTES = 2**28
MAX_FILE_BYTES = 2**32
_MOST_HOLES = 1_000_000
_PROCESS = re.compile(r"0(?:-[1-9]\d{0,8})*")

Numbers = npt.NDArray[Any]


class ProgramPoint(NamedTuple):
    """A point in a program at which values were looked at.

    Attributes:
        file: Path as the interpreter knew it.
        function: Qualified name.
        begins: The line that the function begins at, which tells namesakes apart.
        line: The line that ended; of a call, the line that the function begins at.
        kind: What happened there.
        mentions: What was looked at: `labels`, `self.labels`; for each, there is a value.
    """

    file: str
    function: str
    begins: int
    line: int
    kind: PlaceKind
    mentions: tuple[str, ...]

    @property
    def values(self) -> int:
        """How many values an event here has: of a call also its caller, of an end its result."""
        return len(self.mentions) + (self.kind is not PlaceKind.LINE)


@dataclass(frozen=True)
class Stream:
    """The events of one thread, in the order in which they happened.

    Attributes:
        name: Name of the thread; "" for the one that the process began with.
        places: Index into the process's places, int64, shape (n,).
        first_value: Index into the process's values of each event's first, int64, shape (n,).
        moments: Milliseconds, on the clock of the run's processes, uint32, shape (n,).
    """

    name: str
    places: Numbers
    first_value: Numbers
    moments: Numbers


@dataclass(frozen=True)
class ProcessValues:
    """What one process wrote.

    Attributes:
        name: "0" for the recorded process, "0-1" for its first forked child.
        places: Number → place; numbers that are not there stand for nothing.
        counts: Number of a place → values of an event there, int64; 0 for unknown numbers.
        values: Digests and kinds, uint64.
        streams: Name of a thread → its events.
    """

    name: str
    places: Mapping[int, ProgramPoint]
    counts: Numbers
    values: Numbers
    streams: Mapping[str, Stream]


def read_values(folder: str | os.PathLike[str]) -> dict[str, ProcessValues]:
    """The values of every process of a run.

    Args:
        folder: The run folder.

    Returns:
        Name of a process → what it wrote, sorted by name; empty where nothing was traced.

    Raises:
        TraceError: A file is damaged, or no regular file.
    """
    values = Path(folder, form.VALUES_FOLDER)
    try:
        names = [path.name for path in values.iterdir()] if values.is_dir() else []
    except OSError as error:
        raise TraceError(f"cannot read {printable(str(values))}: {error.strerror}") from error
    processes = (name.removesuffix(form.EVENTS) for name in names if name.endswith(form.EVENTS))
    return {
        process: _read_process(values, process)
        for process in sorted(filter(_PROCESS.fullmatch, processes))
    }


def _read_process(folder: Path, process: str) -> ProcessValues:
    places, threads = _read_places(folder / (process + form.PLACES))
    counts = np.zeros(max(places, default=0) + 1, np.int64)
    for number, place in places.items():
        counts[number] = place.values
    where = folder / (process + form.EVENTS)
    events = _read_numbers(where, form.EVENTS_MAGIC, np.dtype("<u4"))
    values = _read_numbers(folder / (process + form.DIGESTS), form.DIGESTS_MAGIC, np.dtype("<u8"))
    tags = events >> form.TAG_SHIFT
    if (tags == 1).any():
        raise _damaged(where, "an event of no known kind")
    is_place = tags == 0
    at = events[is_place].astype(np.int64)
    if len(at) and (int(at.max()) >= len(counts) or (counts[at] == 0).any()):
        at_wrong = at[(at >= len(counts)) | (counts[np.minimum(at, len(counts) - 1)] == 0)]
        # A place without mentions has no values, and is known all the same.
        if any(int(number) not in places for number in np.unique(at_wrong)):
            raise _damaged(where, "an event at a place that is not there")
    ends = np.cumsum(counts[at])
    # A process that was killed may have written an event's values and not the event.
    if len(ends) and int(ends[-1]) > len(values):
        raise _damaged(where, "more events than values")
    stream = _carried(events, tags == form.STREAM_TAG, is_place)
    moments = _carried(events, tags == form.MOMENT_TAG, is_place)
    streams: dict[str, Stream] = {}
    for number in np.unique(stream):
        name = _free_name(threads.get(int(number), "" if number == 0 else f"{number}"), streams)
        mine = stream == number
        streams[name] = Stream(name, at[mine], (ends - counts[at])[mine], moments[mine])
    return ProcessValues(process, places, counts, values, streams)


def _carried(events: Numbers, marks: Numbers, is_place: Numbers) -> Numbers:
    """For each place event, the content of the last mark before it; 0 before the first."""
    positions = np.maximum.accumulate(np.where(marks, np.arange(len(events)), -1))[is_place]
    content = (events & form.CONTENT).astype(np.uint32)
    return np.where(positions >= 0, content[positions], np.uint32(0)).astype(np.uint32)


def _free_name(name: str, taken: Mapping[str, Stream]) -> str:
    number = 2
    free = name
    while free in taken:
        free = f"{name} #{number}"
        number += 1
    return free


def _read_numbers(path: Path, magic: bytes, dtype: np.dtype[Any]) -> Numbers:
    with open_regular(path) as file:
        try:
            size = os.fstat(file.fileno()).st_size
            header = file.read(form.HEADER.size) or b""
            if len(header) != form.HEADER.size:
                raise _damaged(path, "no header")
            found, used = form.HEADER.unpack(header)
            if found != magic:
                raise _damaged(path, "another kind of file")
            if used > size - form.HEADER.size or used > MAX_FILE_BYTES or used % dtype.itemsize:
                raise _damaged(path, "a wrong length")
            return np.fromfile(file, dtype, used // dtype.itemsize)
        except (OSError, ValueError) as error:
            raise TraceError(f"cannot read {printable(str(path))}: {error}") from error


def _read_places(path: Path) -> tuple[dict[int, ProgramPoint], dict[int, str]]:
    content = read_regular(path, MAX_PLACES_BYTES)
    places: dict[int, ProgramPoint] = {}
    threads: dict[int, str] = {}
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            entry = json.loads(line)
            if "stream" in entry:
                threads[_int(entry["stream"])] = _text(entry["name"])
                continue
            fresh = _places_of(entry)
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise _damaged(path, f"line {number} is no entry") from error
        if places.keys() & fresh.keys():
            raise _damaged(path, f"line {number} gives a number to two places")
        places.update(fresh)
    if max(places, default=0) > len(places) + _MOST_HOLES:
        raise _damaged(path, "numbers of places that are not there")
    return places, threads


def _places_of(entry: Mapping[str, Any]) -> dict[int, ProgramPoint]:
    file, function = _text(entry["file"]), _text(entry["function"])
    first, begins = _int(entry["first"]), _int(entry["line"])
    if first == 0:
        raise ValueError("places are counted from 1")
    arguments = tuple(_text(name) for name in entry["arguments"])
    found = {first: ProgramPoint(file, function, begins, begins, PlaceKind.CALL, arguments)}
    for place, (line, names) in enumerate(entry["lines"]):
        mentions = tuple(_text(name) for name in names)
        for kind in (PlaceKind.LINE, PlaceKind.END):
            number = first + 2 * place + int(kind)
            found[number] = ProgramPoint(file, function, begins, _int(line), kind, mentions)
    return found


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _int(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= form.CONTENT:
        raise TypeError("not a number")
    return value


def _damaged(path: Path, what: str) -> TraceError:
    return TraceError(f"{printable(str(path))} is damaged: {what}", hint=DAMAGED)
