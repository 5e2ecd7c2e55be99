"""Which lines of printed output differ for a reason, and not because time has passed."""

from __future__ import annotations

import re
from collections.abc import Sequence

_STEP_TAG = re.compile(r"^(\d+)\t")

_NUMBER = r"\d+(?:[.,:]\d+)*(?:e[+-]?\d+)?"
_UNIT = r"(?:ns|us|µs|ms|s|sec|secs|seconds?|m|min|mins|minutes?|h|hours?|days?)"
_MEASURED = re.compile(
    rf"""
    {_NUMBER}\s*{_UNIT}\b                                     # 3.2s, 15 minutes
    | {_NUMBER}\s*[A-Za-z]*\s*/\s*(?:s|sec|second|step|it|epoch)\b  # 120 it/s, 3.1 ms/step
    | \d{{4}}-\d\d-\d\d(?:[T_ -]\d\d[:.-]?\d\d(?:[:.-]?\d\d)?(?:[.,]\d+)?)?   # 2024-01-02 10:11:12
    | \d\d?:\d\d(?::\d\d)?(?:[.,]\d+)?                        # 10:11, 0:00:03.5
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OF_TIME = re.compile(
    r"\b(?:time|timing|took|elapsed|seconds?|duration|speed|throughput|eta|latency|runtime|fps)\b",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")


def without_measurements(line: str) -> str:
    """A line with durations, rates, dates and addresses taken out: they differ in every run."""
    line = _MEASURED.sub("#", _ADDRESS.sub("#", line))
    return re.sub(_NUMBER, "#", line) if _OF_TIME.search(line) else line


def without_marked_measurements(line: str) -> str:
    """A line without the durations, rates, dates and addresses that show as such by themselves."""
    return _MEASURED.sub("#", _ADDRESS.sub("#", line))


def speaks_of_time(text: str) -> bool:
    """Whether a word such as "elapsed" stands in the text: numbers after it are durations."""
    return _OF_TIME.search(text) is not None


def untagged(lines: Sequence[str]) -> list[str]:
    """Lines of output.log without the number of the step before each."""
    return [_STEP_TAG.sub("", line, count=1) for line in lines]


def step_of(line: str) -> int:
    """The number of the step that a line of output.log was printed after; 0 where none stands."""
    found = _STEP_TAG.match(line)
    return int(found[1]) if found else 0


def differing_lines(
    first: Sequence[str], other: Sequence[str], repeated: Sequence[str] | None = None
) -> list[int]:
    """Numbers, from 0, of the lines that differ and should not.

    Args:
        first: What one run printed, line by line.
        other: What a run in other circumstances printed.
        repeated: What a second run in the first one's circumstances printed: lines in which it
            differs tell nothing. All three without steps before the lines.

    Returns:
        The numbers; the length of the shorter text where one only goes on.
    """
    found = []
    unstable = set()
    if repeated is not None:
        if len(repeated) != len(first):
            return []
        unstable = {n for n, pair in enumerate(zip(first, repeated, strict=True)) if _differ(*pair)}
    for number, pair in enumerate(zip(first, other, strict=False)):
        if number not in unstable and _differ(*pair):
            found.append(number)
    if len(first) != len(other):
        found.append(min(len(first), len(other)))
    return found


def _differ(line: str, other: str) -> bool:
    return line != other and without_measurements(line) != without_measurements(other)
