"""Which lines of printed output differ for a reason, and not because time has passed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

from samebits.core.catalog.measurements import form_with_times, normal_form
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.catalog.printed_tables import without_timed_columns

_STEP_TAG = re.compile(r"^(\d+)\t")

WORD = re.compile(r"[^\s,;:=()\[\]{}'\"|<>]+")
"""A word of a line: what stands between blanks, commas, brackets and the like."""
_DIGIT = re.compile(r"\d")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]+\b")
_ignored: ContextVar[tuple[re.Pattern[str], ...]] = ContextVar("ignored", default=())
_results: ContextVar[set[str] | None] = ContextVar("results", default=None)
"""Normal forms of lines whose times were shown to be results."""


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


@contextmanager
def telling_results_from_times() -> Iterator[None]:
    """Let `count_as_results` hold until the block ends."""
    token = _results.set(set())
    try:
        yield
    finally:
        _results.reset(token)


def count_as_results(forms: Iterable[str]) -> None:
    """From now on compare lines of these forms with the numbers in them that look like times.

    Args:
        forms: What `form_without_names` makes of them.
    """
    held = _results.get()
    if held is not None:
        held.update(forms)


def form_without_names(line: str, own: OwnNames) -> str:
    """The normal form of a line without its step, addresses and names of its run."""
    text = _STEP_TAG.sub("", line, count=1)
    return normal_form(without_own_names(without_addresses(text), own))


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
    if normal_form(line) != normal_form(other):
        texts = (line, other)
        bare = [without_own_names(text, names) for text, names in zip(texts, own, strict=True)]
        if normal_form(bare[0]) != normal_form(bare[1]):
            return True
    held = _results.get()
    if not held or form_without_names(line, own[0]) not in held:
        return False
    return _times_differ(line, other, own)


def timed_otherwise(line: str, other: str, own: tuple[OwnNames, OwnNames]) -> bool:
    """Whether two lines differ in numbers that look like durations, rates or sizes, and only there.

    Args:
        line: A line of one run.
        other: The same line of another one.
        own: The names of the runs that printed them.
    """
    if line == other or printed_otherwise(line, other, addresses=False, own=own):
        return False
    return _times_differ(line, other, own)


def _times_differ(line: str, other: str, own: tuple[OwnNames, OwnNames]) -> bool:
    texts = (without_addresses(line), without_addresses(other))
    bare = [without_own_names(text, names) for text, names in zip(texts, own, strict=True)]
    return form_with_times(bare[0]) != form_with_times(bare[1])


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
