"""Numbers by which a script counts its runs: "run 3", `"session_id": 12`, "log version 0"."""

from __future__ import annotations

import re

_WORDS = r"(?:attempt|experiment|job|run|session|version)"
_NUMBER = re.compile(
    rf"(?<!best )(?<!best_)(?<!chosen )(?<![A-Za-z])({_WORDS}(?:[ _-]?(?:id|no|nr|num|number))?"
    r"['\"]?\s*[:=#]?\s*#?)(\d{1,6})(?![\w.]*\d|\w|\.\d)",
    re.IGNORECASE,
)


def without_run_numbers(line: str) -> tuple[str, list[int]]:
    """A line with "#" in the place of such numbers, and the numbers.

    How many of something there are ("runs 3") counts as one as well: whether it is the number of
    the run shows in the next one, where it is greater by one.

    Args:
        line: One line.
    """
    numbers = [int(found[2]) for found in _NUMBER.finditer(line)]
    return (_NUMBER.sub(r"\1#", line), numbers) if numbers else (line, [])
