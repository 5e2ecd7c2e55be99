"""Which lines of printed output differ for a reason, and not because time has passed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from samebits.core.catalog.measurements import normal_form
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.catalog.printed_tables import without_timed_columns

_STEP_TAG = re.compile(r"^(\d+)\t")

WORD = re.compile(r"[^\s,;:=()\[\]{}'\"|<>]+")
"""A word of a line: what stands between blanks, commas, brackets and the like."""
_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_ignored: ContextVar[tuple[re.Pattern[str], ...]] = ContextVar("ignored", default=())


@contextmanager
def ignoring(patterns: Sequence[re.Pattern[str]]) -> Iterator[None]:
    """Leave lines of printed text that match one of these out of every comparison.

    Args:
        patterns: Searched for anywhere in a line.
    """
    token = _ignored.set(tuple(patterns))
    try:
        yield
    finally:
        _ignored.reset(token)


def ignored_patterns() -> tuple[str, ...]:
    """The expressions that are in force."""
    return tuple(pattern.pattern for pattern in _ignored.get())


def is_ignored(line: str) -> bool:
    """Whether a line, without the number of its step, is left out of the comparison."""
    return any(pattern.search(line) for pattern in _ignored.get())


def comparable_lines(text: str) -> list[str]:
    """The lines of a text that count, durations and the like taken out."""
    lines = [line for line in text.split("\n") if not is_ignored(line)]
    return [normal_form(line) for line in without_timed_columns(lines)]


def printed_otherwise(
    line: str,
    other: str,
    *,
    addresses: bool = True,
    own: tuple[OwnNames, OwnNames] = (OwnNames(), OwnNames()),
) -> bool:
    """Whether two lines differ in more than durations, dates, rates and the like.

    Args:
        line: A line of one run.
        other: The same line of another one.
        addresses: Whether addresses of objects count.
        own: The names of the runs that printed them: each stands for the other's.
    """
    if line == other:
        return False
    if not addresses:
        line, other = without_addresses(line), without_addresses(other)
    if normal_form(line) == normal_form(other):
        return False
    texts = (line, other)
    bare = [without_own_names(text, names) for text, names in zip(texts, own, strict=True)]
    return normal_form(bare[0]) != normal_form(bare[1])


def without_addresses(line: str) -> str:
    """A line with "#" in the place of each address of an object."""
    return _ADDRESS.sub("#", line)


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
    first, other = without_timed_columns(first), without_timed_columns(other)
    if repeated is not None:
        repeated = without_timed_columns(repeated)
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
    return printed_otherwise(line, other, addresses=False)


def form_of(line: str) -> str:
    """A line with "#" in the place of each word that holds a digit, padded to no width."""
    form = WORD.sub(lambda word: "#" if _DIGIT.search(word[0]) else word[0], line)
    return " ".join(form.split())
