"""Whether what two runs say of the time goes by their clocks alone, of which one is twice as fast.

That text is the same once the clock is pinned says that it goes by the clock, and a result may do
so as well: the best of what was tried within a second. But with a clock that is twice as fast,
which a run is told nothing else of, what tells a duration tells one twice as long, a rate is half
as large, and a share of the time stays as it was. A result is another one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial

from samebits.check.diff.artifacts import (
    digests_of_written,
    is_said_at_other_times,
    lines_that_count,
    written_files,
)
from samebits.check.diff.printed_text import WORD, form_of
from samebits.check.diff.written_files import hold_the_same
from samebits.check.trace.reader import Trace

RATE = 2.0
"""How many times as fast the clock of the second run is."""

_BEGINS = (0.0, 1000.0, 1_704_189_600.0)
"""What a duration is counted from: nothing, or where the pinned clocks begin."""
_OF_A_READING = 1e-6
"""Seconds: what a difference of two readings of a clock with a date may be off by."""
_OF_A_RATE = 1e-4
"""The part of a rate that this makes, where the time is a hundredth of a second."""
_NUMBER = re.compile(r"([-+]?)(\d+(?:\.(\d+))?(?:[eE][-+]?\d+)?)([A-Za-z%µ]{0,5})")
_OF_NUMBERS = re.compile(
    r"[-+]?\d[\d.,/:%]*(?:[eE][-+]?\d+)?(?:/?[A-Za-z%µ]{1,3})?(?:/[A-Za-z]{1,3})?"
)
"""Numbers, shares such as 3/5, and what has a unit, such as 12.5/s."""
_KINDS = ("tensors", "values", "arrays", "text")
_Alike = Callable[[str, str], bool]
_OF_NAMES = re.compile(
    r"(?:runs?|jobs?|experiments?|sessions?|names?|ids?|tags?|folders?|director(?:y|ies)|dir|paths?"
    r"|outputs?|saved?|logs?|logging|wrote|written|writing|tokens?|keys?)",
    re.IGNORECASE,
)
_NEAR = 2
"""So many words before a name one may say that it is a name."""


def goes_by_the_pace(slow: Trace, fast: Trace, *, names: bool = False) -> bool:
    """Whether printed lines and written files of two runs say the same but for times.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was `RATE` times as fast, and that drew other names.
        names: Whether what looks like a name may be another one, too. That it is one has to be
            shown by runs with equal names, which say the same each time.
    """
    say_the_same = partial(says_the_same, names=names)
    return _printed(slow, fast, say_the_same) and _written(slow, fast, say_the_same)


def differ_by_names(one: Trace, other: Trace) -> bool:
    """Whether two runs with the same clock and other names differ in what looks like a name alone.

    Args:
        one: A run.
        other: One that drew other names.
    """
    say_the_same = partial(says_the_same, names=True, pace=False)
    return _printed(one, other, say_the_same) and _written(one, other, say_the_same)


def holds_what_stayed(slow: Trace, fast: Trace, again: Trace) -> bool:
    """Whether a further run says and writes all that two runs do whose clocks and names differ.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was faster, and that drew other names.
        again: A run with another clock and other names still.
    """
    lines = [Counter(lines_that_count(trace)) for trace in (slow, fast, again)]
    if (lines[0] & lines[1]) - lines[2]:
        return False
    for kind in _KINDS:
        held = [digests_of_written(trace, kind) for trace in (slow, fast, again)]
        for path, digests in held[0].items():
            if digests == held[1].get(path) != held[2].get(path):
                return False
    return True


def could_show(pinned: Trace, plain: tuple[Trace, Trace]) -> bool:
    """Whether a run said each line with a number that two plain runs say differently.

    With a clock that goes on too slowly, a script may say nothing of it at all.

    Args:
        pinned: A run with the clock pinned.
        plain: The two runs.
    """
    of_a, of_b = (Counter(lines_that_count(trace)) for trace in plain)
    said = set(map(form_of, lines_that_count(pinned)))
    differing = (of_a - of_b) + (of_b - of_a)
    return all(form in said for form in map(form_of, differing) if "#" in form)


def is_shown(slow: Trace, fast: Trace, plain: tuple[Trace, Trace]) -> bool:
    """Whether all that differs between two plain runs differs by the pace of the clock as well.

    What is the same whatever the clock does may have come out the same by luck.

    Args:
        slow: A run with the clock pinned.
        fast: One whose clock was faster.
        plain: The two runs.
    """
    lines = [list(lines_that_count(trace)) for trace in (slow, fast, *plain)]
    if Counter(lines[2]) != Counter(lines[3]):
        as_many = len({len(one) for one in lines}) == 1
        if not (all(map(_differs_by_pace, *lines)) if as_many else is_said_at_other_times(*plain)):
            return False
    else:
        in_order = [list(lines_that_count(trace, by_main=True)) for trace in (slow, *plain)]
        if in_order[1] != in_order[2] and in_order[0] in in_order[1:]:
            return False
    for kind in ("values", "arrays", "text"):
        held = [digests_of_written(trace, kind) for trace in (slow, fast, *plain)]
        for path in held[2].keys() & held[3].keys():
            of_runs = [one.get(path) for one in held]
            if of_runs[2] != of_runs[3] and of_runs[0] == of_runs[1]:
                return False
    return True


def _printed(slow: Trace, fast: Trace, say_the_same: _Alike) -> bool:
    lines = [list(lines_that_count(trace)) for trace in (slow, fast)]
    left = [list((Counter(lines[n]) - Counter(lines[1 - n])).elements()) for n in (0, 1)]
    in_order = [list(lines_that_count(trace, by_main=True)) for trace in (slow, fast)]
    same = len(left[0]) == len(left[1]) and all(map(say_the_same, *left))
    same = same and len(in_order[0]) == len(in_order[1]) and all(map(say_the_same, *in_order))
    return same or is_said_at_other_times(slow, fast)


def _written(slow: Trace, fast: Trace, say_the_same: _Alike) -> bool:
    for kind in _KINDS:
        files = [written_files(trace, kind) for trace in (slow, fast)]
        for path in files[0].keys() & files[1].keys():
            if len(files[0][path]) != len(files[1][path]):
                return False
            for one, other in zip(files[0][path], files[1][path], strict=True):
                if not hold_the_same(one, other) and not _texts(one, other, say_the_same):
                    return False
    return True


def _texts(one: object, other: object, say_the_same: _Alike) -> bool:
    """Whether two texts say the same but for times and names; not where they were not kept."""
    lines = [file.get("lines") if isinstance(file, dict) else None for file in (one, other)]
    if not all(isinstance(held, list) and held for held in lines):
        return False
    a, b = ([line for line in held if isinstance(line, str)] for held in lines if held is not None)
    return len(a) == len(b) and all(map(say_the_same, a, b))


def says_the_same(slow: str, fast: str, *, names: bool = False, pace: bool = True) -> bool:
    """Whether two lines say the same but for times at another pace.

    Args:
        slow: A line of a run.
        fast: That of a run whose clock was `RATE` times as fast.
        names: Whether what looks like a name may be another one, too.
        pace: Whether times may.
    """
    if slow == fast:
        return True
    if WORD.sub("", slow).split() != WORD.sub("", fast).split():
        return False
    words = WORD.findall(slow), WORD.findall(fast)
    if len(words[0]) != len(words[1]):
        return False
    for place, (one, other) in enumerate(zip(*words, strict=True)):
        if one == other or (pace and _are_paced(one, other)):
            continue
        before = words[0][max(place - _NEAR, 0) : place]
        if not names or not (_is_name(one, before) and _is_name(other, before)):
            return False
    return True


def _is_name(word: str, before: Sequence[str]) -> bool:
    """Whether a word may be a name: for how it looks, or for the words before it."""
    if _OF_NUMBERS.fullmatch(word) is not None:
        return False
    return _is_identifier(word) or "/" in word or any(map(_OF_NAMES.fullmatch, before))


def _are_paced(slow: str, fast: str) -> bool:
    (slow, *per), (fast, *other) = slow.split("/"), fast.split("/")
    if per != other or any(any(map(str.isdigit, unit)) for unit in per):
        return False  # 3/5 is a share: were it of a time, it would stay
    numbers = _NUMBER.fullmatch(slow), _NUMBER.fullmatch(fast)
    return numbers[0] is not None and numbers[1] is not None and _is_paced(numbers[0], numbers[1])


def _is_paced(slow: re.Match[str], fast: re.Match[str]) -> bool:
    """Whether a number is that of a clock: twice as large, or half, as far as it was printed."""
    unit = max(_last_place(slow), _last_place(fast))
    a, b = (float(f"{number[1]}{number[2]}") for number in (slow, fast))
    room = unit * (1 + RATE) / 2 * 1.001 + _OF_A_READING
    longer = any(abs((b - begin) - RATE * (a - begin)) <= room for begin in _BEGINS)
    return longer or abs(RATE * b - a) <= room + _OF_A_RATE * abs(a)


def _last_place(number: re.Match[str]) -> float:
    digits, _, power = number[2].lower().partition("e")
    places = len(digits.partition(".")[2])
    return float(10.0 ** (int(power or 0) - places))


def _is_identifier(word: str) -> bool:
    """Whether a word is made of digits as nobody writes a number: "3fa2b1", "job-4813"."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and len(word) >= 6


def _differs_by_pace(slow: str, fast: str, a: str, b: str) -> bool:
    """Whether each word that differs between two plain runs does between the paces too."""
    if a == b:
        return True
    words = [WORD.findall(line) for line in (slow, fast, a, b)]
    if len({len(one) for one in words}) > 1:
        return False
    return all(_has_moved(*four) for four in zip(*words, strict=True))


def _has_moved(slow: str, fast: str, a: str, b: str) -> bool:
    return a == b or slow != fast or _is_nothing(slow)


def _is_nothing(word: str) -> bool:
    """Whether a number is as good as zero, as the time between two readings may be."""
    number = _NUMBER.fullmatch(word)
    return number is not None and abs(float(number[2])) <= _last_place(number)
