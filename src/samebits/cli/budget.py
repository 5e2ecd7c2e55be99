"""`--budget`: what the search for the cause may cost, as a person writes it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.trials.limits import Limits

_TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600}


def parsed_budget(given: Sequence[str], *, attribute: bool) -> Limits:
    """The limits that were asked for; the usual ones where nothing was.

    Args:
        given: Each a number of runs, or a time with its unit: "12", "90s", "5m".
        attribute: Whether further runs are wanted at all.

    Raises:
        UsageError: One is neither.
    """
    from samebits.check.trials.limits import DEFAULT_RUNS, Limits

    runs, seconds = DEFAULT_RUNS, None
    for text in given:
        time = _TIME.fullmatch(text.strip())
        if time is not None:
            seconds = float(time[1]) * _SECONDS[time[2]]
        elif text.strip().isdecimal() and int(text) > 0:
            runs = int(text)
        else:
            raise UsageError(
                f"--budget takes a number of runs or a time, not '{text}'",
                hint="write --budget 12, --budget 90s or --budget 5m",
            )
    return Limits(runs=runs if attribute else 0, seconds=seconds, thorough=bool(given))
