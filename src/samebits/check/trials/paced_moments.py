"""Moments in words, such as the name of a folder, by clocks of which one is faster.

A clock of another pace begins at another moment, too: by so much both must lie apart.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone

APART_S = 98_765.0
"""By so much later, for each time as fast, a clock begins that tells the date: as if it had gone at
its pace since then. A moment in whole seconds moves with it, and so does the time of the day."""
_LONG_S = 300.0
"""No script lasts longer by a pinned clock, most likely; by a faster one, as many times as long."""
_DAY_S = 86_400
_YEAR = "2024"
"""The year of pinned clocks, where a moment names none."""
_FORMS = (
    ("", "%Y%m%d%H%M%S%f", 20),
    ("", "%Y%m%d%H%M%S", 14),
    ("", "%Y%m%d%H%M", 12),
    ("20", "%Y%m%d%H%M%S", 12),
    (_YEAR, "%Y%m%d%H%M%S", 10),
    (_YEAR, "%Y%m%d%H%M", 8),
)
"""What stands before the digits, what they are then, and how many there are."""
_DIGITS = re.compile(r"\d+")
_TIME_OF_DAY = re.compile(r"(.*?)([01]\d|2[0-3])([0-5]\d)([0-5]\d)")
"""As `strftime("%H%M%S")` writes it, behind whatever it is part of."""


def are_moments(slow: str, fast: str, rate: float) -> bool:
    """Whether two words name the moments that the clocks of two runs tell.

    Args:
        slow: A word of a run with the clock pinned.
        fast: That of one whose clock was faster.
        rate: How many times as fast it was.
    """
    if _DIGITS.sub("#", slow) != _DIGITS.sub("#", fast):
        return False
    if _are_times_of_day(slow, fast, rate):
        return True
    of_slow, of_fast = _DIGITS.findall(slow), _DIGITS.findall(fast)
    differing = [
        n for n, (one, other) in enumerate(zip(of_slow, of_fast, strict=True)) if one != other
    ]
    if not differing:
        return False
    # Digits beside those that differ may be the year, or the hour.
    return any(
        _lie_apart("".join(of_slow[begin:end]), "".join(of_fast[begin:end]), rate)
        for begin in range(differing[0] + 1)
        for end in range(differing[-1] + 1, len(of_slow) + 1)
    )


def _lie_apart(slow: str, fast: str, rate: float) -> bool:
    """Whether two rows of digits are moments that lie as far apart as those of the clocks."""
    apart, longest = APART_S * (rate - 1), _LONG_S * rate
    for before, form, length in _FORMS:
        if len(slow) == len(fast) == length:
            begin, end = _moment(before + slow, form), _moment(before + fast, form)
            if begin is None or end is None:
                continue
            if apart - 60 <= end - begin <= apart + longest:
                return True
    return False


def _moment(digits: str, form: str) -> float | None:
    try:
        return datetime.strptime(digits, form).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def _are_times_of_day(slow: str, fast: str, rate: float) -> bool:
    times = _TIME_OF_DAY.fullmatch(slow), _TIME_OF_DAY.fullmatch(fast)
    if times[0] is None or times[1] is None or times[0][1] != times[1][1]:
        return False
    seconds = [int(time[2]) * 3600 + int(time[3]) * 60 + int(time[4]) for time in times if time]
    return (seconds[1] - seconds[0] - APART_S * (rate - 1)) % _DAY_S <= _LONG_S * rate
