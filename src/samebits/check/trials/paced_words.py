"""Whether words of two lines tell the same, but for times by clocks of which one is faster."""

from __future__ import annotations

import re
from collections.abc import Sequence

from samebits.check.diff.printed_text import WORD
from samebits.check.hooks.clock import BEGINS_AT
from samebits.check.trials.paced_moments import APART_S, are_moments

RATE = 2.0
"""How many times as fast the clock of the second run is."""
EVEN_RATES = (61.0, 121.0)
"""And those of two more: what is left of a minute then moves by more than its last place, and what
takes less than a second shows in whole ones."""

_BETWEEN_EVEN = EVEN_RATES[1] / EVEN_RATES[0]
_BEGINS = (0.0, 1000.0, BEGINS_AT - APART_S)
"""What a duration is counted from: nothing, or where the pinned clocks would have begun."""
_OF_A_READING = 1e-6
"""Seconds: what a difference of two readings of a clock with a date may be off by."""
_OF_A_RATE = 1e-4
"""The part of a rate that this makes, where the time is a hundredth of a second."""
_MINUTES = re.compile(r"(?<![\d:.])(\d{1,3}):([0-5]\d)(?![\d:.])")
_FAR = 50
"""So many last places a number has to move for three to lie on a line by more than chance."""
_FEW = 10
"""A number of fewer last places is twice another one, about, by chance."""
_NUMBER = re.compile(r"([-+]?)(\d+(?:\.(\d+))?(?:[eE][-+]?\d+)?)([A-Za-z%µ]{0,5})")
_OF_NUMBERS = re.compile(
    r"[-+]?\d[\d.,/:%]*(?:[eE][-+]?\d+)?(?:/?[A-Za-z%µ]{1,3})?(?:/[A-Za-z]{1,3})?"
)
"""Numbers, shares such as 3/5, and what has a unit, such as 12.5/s."""
_BETWEEN = re.compile(r"([±~≈@×]|[.!?…]+$)")
"""What stands between numbers in one word, and what ends a sentence."""
_OF_NAMES = re.compile(
    r"(?:runs?|jobs?|experiments?|sessions?|names?|ids?|tags?|folders?|director(?:y|ies)|dir|paths?"
    r"|outputs?|saved?|logs?|logging|wrote|written|writing|tokens?|keys?)",
    re.IGNORECASE,
)
_OF_TIME = re.compile(
    r"(?:[mµun]?s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|ms|milliseconds?|d|days?)",
    re.IGNORECASE,
)
_OF_CONTENT = re.compile(
    r"(?:finger-?prints?|check-?sums?|digests?|hash(?:es)?|sha-?\d*|md5|crc-?\d*)", re.IGNORECASE
)
"""What is made of what was computed, and looks like a name."""
_NEAR = 2
"""So many words before a name one may say that it is a name."""


def says_the_same(
    slow: str, fast: str, *, names: bool = False, pace: bool = True, sure: bool = False
) -> bool:
    """Whether two lines say the same but for times at another pace.

    Args:
        slow: A line of a run.
        fast: That of a run whose clock was `RATE` times as fast.
        names: Whether what looks like a name may be another one, too.
        pace: Whether times may.
        sure: Whether not to count small whole numbers and the like as times: 2 is twice 1.
    """
    words = _words(slow, fast)
    if words is None:
        return False
    for place, (one, other) in enumerate(zip(*words, strict=True)):
        if one == other or (pace and _are_paced(one, other, sure=sure)):
            continue
        before = words[0][max(place - _NEAR, 0) : place]
        if not names or not (_is_name(one, before) and _is_name(other, before)):
            return False
    return True


def moves_evenly(slow: str, fast: str, third: str) -> bool:
    """Whether what differs between three lines moves as much from each pace to the next.

    So does whatever is a time, in any unit and counted from any moment: what is left of a budget,
    the milliseconds since 1970.

    Args:
        slow: A line of a run.
        fast: That of a run whose clock was as many times as fast as `EVEN_RATES` says first.
        third: That of one whose clock was as `EVEN_RATES` says next.
    """
    words, others = _words(slow, fast), _words(slow, third)
    if words is None or others is None:
        return False
    return all(
        a == b == c
        or _are_even(a, b, c)
        or (
            _are_paced(a, b, EVEN_RATES[0])
            and _are_paced(a, c, EVEN_RATES[1])
            # What was none may come to anything below so many last places.
            and not (_is_nothing(a) and (b == c or not _are_paced(b, c, _BETWEEN_EVEN)))
        )
        for a, b, c in zip(*words, others[1], strict=True)
    )


def has_moved(slow: str, fast: str, a: str, b: str) -> bool:
    """Whether each word that differs between two plain runs does between the paces too.

    Args:
        slow: A line of a run.
        fast: That of one whose clock was faster.
        a: That of a plain run.
        b: That of another one.
    """
    if a == b:
        return True
    words = [WORD.findall(_in_seconds(line)) for line in (slow, fast, a, b)]
    if len({len(one) for one in words}) > 1:
        return False
    return all(
        of_a == of_b
        or of_slow != of_fast
        or (_is_nothing(of_slow) and not _are_counts(of_a, of_b, after))
        for (of_slow, of_fast, of_a, of_b), after in zip(
            zip(*words, strict=True), [*words[0][1:], ""], strict=True
        )
    )


def was_none(slow: str, fast: str, a: str, b: str) -> bool:
    """Whether a number that differs between two plain runs is none whichever the pace.

    What takes less than a second is none in whole ones, and so is a count of what took too long.

    Args:
        slow: A line of a run.
        fast: That of one whose clock was faster.
        a: That of a plain run.
        b: That of another one.
    """
    words = [WORD.findall(_in_seconds(line)) for line in (slow, fast, a, b)]
    return any(
        of_a != of_b and of_slow == of_fast and _is_nothing(of_slow)
        for of_slow, of_fast, of_a, of_b in zip(*words, strict=False)
    )


def holds_none(line: str) -> bool:
    """Whether one of the numbers of a line is as good as zero."""
    return any(map(_is_nothing, WORD.findall(_in_seconds(line))))


def skeleton_of(line: str) -> str:
    """A line with "#" in the place of each word that holds a digit or names a path."""
    words = (
        "#" if "/" in word or any(map(str.isdigit, word)) else word for word in WORD.findall(line)
    )
    return " ".join(words)


def _words(one: str, other: str) -> tuple[list[str], list[str]] | None:
    """The words of two lines; None where what stands between them differs."""
    one, other = _in_seconds(one), _in_seconds(other)
    if WORD.sub("", one).split() != WORD.sub("", other).split():
        return None
    words = WORD.findall(one), WORD.findall(other)
    return words if len(words[0]) == len(words[1]) else None


def _in_seconds(line: str) -> str:
    """A line with so many seconds in the place of minutes and seconds: "1:05" is "65s"."""
    return _MINUTES.sub(lambda time: f"{60 * int(time[1]) + int(time[2])}s", line)


def _is_name(word: str, before: Sequence[str]) -> bool:
    """Whether a word may be a name: for how it looks, or for the words before it."""
    if _OF_NUMBERS.fullmatch(word) is not None:
        return False
    if any(_OF_CONTENT.fullmatch(one.strip(":=,()[]'\"")) for one in before):
        return False
    return _is_identifier(word) or "/" in word or any(map(_OF_NAMES.fullmatch, before))


def _is_identifier(word: str) -> bool:
    """Whether a word is made of digits as nobody writes a number: "3fa2b1", "job-4813"."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word) and len(word) >= 6


def _are_paced(slow: str, fast: str, rate: float = RATE, *, sure: bool = False) -> bool:
    parts = _BETWEEN.split(slow), _BETWEEN.split(fast)
    if len(parts[0]) == len(parts[1]) > 1:
        pairs = zip(*parts, strict=True)
        return all(one == other or _are_paced(one, other, rate, sure=sure) for one, other in pairs)
    if are_moments(slow, fast, rate):
        return True
    (slow, *per), (fast, *other_per) = slow.split("/"), fast.split("/")
    if per != other_per or any(any(map(str.isdigit, unit)) for unit in per):
        return False  # 3/5 is a share: were it of a time, it would stay
    numbers = _NUMBER.fullmatch(slow), _NUMBER.fullmatch(fast)
    if numbers[0] is None or numbers[1] is None or numbers[0][4] != numbers[1][4]:
        return False
    if sure and all(_value(number) < _FEW * _last_place(number) for number in numbers if number):
        return False
    return _is_paced(numbers[0], numbers[1], rate)


def _is_paced(slow: re.Match[str], fast: re.Match[str], rate: float) -> bool:
    """Whether a number is that of a clock: as much larger, or smaller, as far as it was printed."""
    unit = max(_last_place(slow), _last_place(fast))
    a, b = _value(slow), _value(fast)
    room = unit * (1 + rate) / 2 * 1.001 + _OF_A_READING
    longer = any(abs((b - begin) - rate * (a - begin)) <= room for begin in _BEGINS)
    return longer or abs(rate * b - a) <= room + _OF_A_RATE * abs(a)


def _are_even(slow: str, fast: str, third: str) -> bool:
    parts = [_BETWEEN.split(word) for word in (slow, fast, third)]
    if len(parts[0]) == len(parts[1]) == len(parts[2]) > 1:
        return all(a == b == c or _are_even(a, b, c) for a, b, c in zip(*parts, strict=True))
    numbers = [_NUMBER.fullmatch(word) for word in (slow, fast, third)]
    known = [number for number in numbers if number is not None]
    if len(known) < 3 or len({number[4] for number in known}) > 1:
        return False
    unit = max(map(_last_place, known))
    a, b, c = map(_value, known)
    half = (EVEN_RATES[0] - 1) / (EVEN_RATES[1] - 1)
    room = unit * (1 + half) + _OF_A_READING
    return abs(c - a) >= _FAR * unit and abs((c - a) * half - (b - a)) <= room


def _are_counts(one: str, other: str, after: str) -> bool:
    """Whether two words are whole numbers without a unit: how many took longer than a limit.

    A time that is none while the clock is pinned is told in parts of a second, or with its unit.
    """
    whole = all(word.strip(".,:;()[]").isdecimal() for word in (one, other))
    return whole and _OF_TIME.fullmatch(after.strip(".,:;()[]")) is None


def _value(number: re.Match[str]) -> float:
    return float(f"{number[1]}{number[2]}")


def _last_place(number: re.Match[str]) -> float:
    digits, _, power = number[2].lower().partition("e")
    places = len(digits.partition(".")[2])
    return float(10.0 ** (int(power or 0) - places))


def _is_nothing(word: str) -> bool:
    """Whether a number is as good as zero, as the time between two readings may be."""
    number = _NUMBER.fullmatch(word)
    return number is not None and abs(float(number[2])) <= _last_place(number)
