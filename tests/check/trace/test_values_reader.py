"""What a traced run wrote is read exactly, and damage is a TraceError, whatever the bytes."""

from __future__ import annotations

import contextlib
import json
import os
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from samebits.check.trace.values_format import (
    DIGESTS_MAGIC,
    EVENTS_MAGIC,
    HEADER,
    MOMENT_TAG,
    STREAM_TAG,
    TAG_SHIFT,
    PlaceKind,
)
from samebits.check.trace.values_reader import read_values
from samebits.errors import TraceError

FUNCTION = {
    "first": 1,
    "file": "train.py",
    "function": "main",
    "line": 3,
    "arguments": ["a"],
    "lines": [[4, ["a", "self.b"]], [5, []]],
}
THREAD = {"stream": 1, "name": "Thread-1"}


def stream(number):
    return STREAM_TAG << TAG_SHIFT | number


def moment(milliseconds):
    return MOMENT_TAG << TAG_SHIFT | milliseconds


EVENTS = (moment(7), 1, 2, stream(1), 4, stream(0), moment(9), 5)
VALUES = tuple(range(100, 105))


@pytest.fixture
def write(tmp_path):
    """Writes a trace: write(entries, events, values) -> the run folder."""

    def make(entries=(FUNCTION, THREAD), events=EVENTS, values=VALUES, process="0"):
        folder = tmp_path / "values"
        folder.mkdir(exist_ok=True)
        lines = (json.dumps(entry) + "\n" for entry in entries)
        (folder / f"{process}.places").write_text("".join(lines))
        of_events = struct.pack(f"<{len(events)}I", *events)
        of_values = struct.pack(f"<{len(values)}Q", *values)
        for ending, magic, content in (
            ("events", EVENTS_MAGIC, of_events),
            ("digests", DIGESTS_MAGIC, of_values),
        ):
            room = bytes(40)  # what lies behind the counted bytes is ignored
            (folder / f"{process}.{ending}").write_bytes(
                HEADER.pack(magic, len(content)) + content + room
            )
        return tmp_path

    return make


def test_events_and_places_are_read(write):
    process = read_values(write())["0"]
    assert sorted(process.streams) == ["", "Thread-1"]
    main, thread = process.streams[""], process.streams["Thread-1"]
    assert main.places.tolist() == [1, 2, 5]
    assert main.first_value.tolist() == [0, 2, 4]
    assert main.moments.tolist() == [7, 7, 9]
    assert (thread.places.tolist(), thread.first_value.tolist()) == ([4], [4])
    assert process.values.tolist() == list(VALUES)
    kinds = {number: (place.kind, place.line) for number, place in process.places.items()}
    assert kinds == {
        1: (PlaceKind.CALL, 3),
        2: (PlaceKind.LINE, 4),
        3: (PlaceKind.END, 4),
        4: (PlaceKind.LINE, 5),
        5: (PlaceKind.END, 5),
    }
    assert process.places[2].mentions == ("a", "self.b")


def test_an_empty_trace_is_one(write):
    assert read_values(write((), (), ()))["0"].streams == {}


def test_processes_are_sorted_and_other_files_ignored(write, tmp_path):
    for process in ("0-10", "0", "0-2", "0-2-1"):
        write(process=process)
    for name in ("0-.events", "x.events", "0-01.events", "notes.txt"):
        (tmp_path / "values" / name).touch()
    assert list(read_values(tmp_path)) == ["0", "0-10", "0-2", "0-2-1"]


def test_a_folder_without_a_trace_has_none(tmp_path):
    assert read_values(tmp_path) == {}
    assert read_values(tmp_path / "missing") == {}


@pytest.mark.parametrize(
    ("entries", "events", "values", "what"),
    [
        ((FUNCTION,), (9,), VALUES, "at a place that is not there"),
        ((FUNCTION,), (0,), VALUES, "at a place that is not there"),
        ((), (1,), (), "at a place that is not there"),
        ((FUNCTION,), (1 << 30,), VALUES, "no known kind"),
        ((FUNCTION,), (1, 1, 1), VALUES, "more events than values"),
        ((FUNCTION, FUNCTION), EVENTS, VALUES, "to two places"),
        (({**FUNCTION, "first": 2**29},), (), (), "numbers of places"),
        (({**FUNCTION, "first": 0},), (), (), "no entry"),
        (({**FUNCTION, "first": True},), (), (), "no entry"),
        (({**FUNCTION, "first": 2**40},), (), (), "no entry"),
        (({**FUNCTION, "file": None},), (), (), "no entry"),
        (({**FUNCTION, "lines": 3},), (), (), "no entry"),
        (({**FUNCTION, "lines": [[1]]},), (), (), "no entry"),
        (({**FUNCTION, "arguments": [1]},), (), (), "no entry"),
        (([],), (), (), "no entry"),
        ((3,), (), (), "no entry"),
        (({"stream": 1},), (), (), "no entry"),
    ],
)
def test_damage_is_named(write, entries, events, values, what):
    with pytest.raises(TraceError, match=what):
        read_values(write(entries, events, values))


@pytest.mark.parametrize("ending", ["events", "digests"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"SBEVENT",
        HEADER.pack(b"NOTMAGIC", 0),
        HEADER.pack(EVENTS_MAGIC, 8),
        HEADER.pack(DIGESTS_MAGIC, 2**63),
        HEADER.pack(EVENTS_MAGIC, 3) + b"abc",
    ],
)
def test_a_wrong_header_or_length_is_damage(write, ending, content):
    folder = write()
    (folder / "values" / f"0.{ending}").write_bytes(content)
    with pytest.raises(TraceError, match="damaged"):
        read_values(folder)


def test_what_is_no_regular_file_is_refused(write):
    folder = write()
    path = folder / "values" / "0.digests"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(TraceError, match="no regular file"):
        read_values(folder)


def test_deep_nesting_is_damage(write):
    folder = write()
    (folder / "values" / "0.places").write_text("[" * 100_000 + "\n")
    with pytest.raises(TraceError, match="no entry"):
        read_values(folder)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    ending=st.sampled_from(["events", "digests", "places"]),
    position=st.integers(0, 300),
    replacement=st.binary(max_size=12),
)
def test_any_change_is_read_or_refused(write, ending, position, replacement):
    path = Path(write(), "values", f"0.{ending}")
    content = path.read_bytes()
    position = min(position, len(content))
    path.write_bytes(content[:position] + replacement + content[position + len(replacement) // 2 :])
    with contextlib.suppress(TraceError):
        read_values(path.parents[1])
