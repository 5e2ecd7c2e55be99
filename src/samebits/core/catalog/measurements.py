"""Quantities in printed text that differ in every run and say nothing of what was computed.

Durations, dates, throughput, paths of temporary folders, numbers of processes. Each is recognised
by what stands beside the number: a unit, or a name. A number without either is a result.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone

from samebits.core.catalog.quantities import (
    AVERAGE,
    BETWEEN,
    NUMBER,
    measured,
    of_a_run,
    replaced,
)

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MAY_CHANGE = re.compile(r"\d|tmp|/dev/shm/|/var/folders/|\?\s*it/s")

_COUNTED = (
    r"(?:batch|candidate|check(?:point)?|conf(?:ig)?|cfg|epoch|exp(?:eriment)?|fold|group|iter\w*|job"
    r"|layer|member|model|rank|round|run|sample|seed|session|split|stage|step|sweep|task|test|train"
    r"|trial|val\w*|version|worker)"
)
_MADE_UP = (
    rf"(?!{_COUNTED}[-_])[a-z]{{3,}}(?:[-_](?!{_COUNTED}[-_])[a-z]{{3,}})*"
    r"[-_]\d{3,}(?![\w.])"
)
"""Words and a number that count nothing: a name that people can remember."""

# "run amber-7345", "runs/eager-lagoon-159", {"name": "eager-lagoon-159"}
_NAME_OF_A_RUN = re.compile(
    rf"((?<!best )\b(?:(?:run|job|experiment|session)(?:[ _]?(?:name|id))?{BETWEEN}|runs?/"
    rf"|name['\"]?\s*[:=]\s*['\"]?)){_MADE_UP}",
    re.IGNORECASE,
)
# "madder-1128-010341", "woad-20261128-0103", and "weld-#", where the stamp has gone already
_STAMPED_NAME = re.compile(
    rf"(?<!best )(?<![\w.-])(?!{_COUNTED}[-_])[a-z]{{3,}}(?:[-_](?!{_COUNTED}[-_])[a-z]{{3,}})*[-_]"
    r"(?:#|(?P<day>\d{4}|\d{6}|\d{8})[-_T](?P<time>\d{4}(?:\d\d)?))(?![\w.-])",
    re.IGNORECASE,
)
_MAY_BE_NAMED = re.compile(r"[^\W\d_][-_][#\d]")
"""A word before a number, as in any of these names; looking for it takes a tenth of the time."""
_FORMATS = {4: "%Y%m%d", 6: "%y%m%d", 8: "%Y%m%d"}
_ROUND = 50
_MINUTE_S = 60.0
_BAR = re.compile("[━╸╺]+")
_DONE = re.compile(r"\d+/\d+|\d%")
_OF_TIME = re.compile(r"\btime\b", re.IGNORECASE)
_HELD = re.compile(
    r"(?P<quote>['\"])(?P<key>[A-Za-z][\w ]*)(?P=quote)\s*:\s*"
    r"(?P<held>\{[^{}\[\]]*\}|\[[^{}\[\]]*\])"
)
"""A key with all that it holds, in JSON or as Python shows a dict."""
_HELD_NUMBER = re.compile(rf"(?<=[\[:,])(?P<room>\s*){NUMBER}(?=\s*[,\]}}])")
_NAMES_A_DURATION = re.compile(
    r"(?:\w*_)?(?:seconds|secs|milliseconds|elapsed|runtimes?|walltimes?|wall_times?)"
    r"|(?:train|training|eval|evaluation|epoch|fit)_(?:s|ms)",
    re.IGNORECASE,
)
"""Of a list or an object that is called otherwise ("durations", "times"), they may be a result."""
_NO_NAME = frozenset("0123456789+-.{}[]:")
_IDLY = r"(?:blocked|idle|loading|stalled|wait(?:ed|ing)?)"
_SHARE_OF_TIME = re.compile(
    rf"(?<![\w.]){NUMBER}\s?%(?=\s+(?:of\s+(?:it|the\s+time|that)\s+)?{_IDLY}\b)"
    rf"|(?<=\bwaiting\s)(?<![\w.]){NUMBER}\s?%",
    re.IGNORECASE,
)
"""How much of a time that the same line tells was spent waiting."""
_LOADING = re.compile(rf"(\bdata{BETWEEN}){NUMBER}(\s*s\b)?{AVERAGE}", re.IGNORECASE)


def form_with_times(line: str) -> str:
    """A line with "#" for dates, temporary folders, ports and the like: durations and sizes stay.

    Args:
        line: One line, without its end.
    """
    return " ".join(replaced(of_a_run(), line).split())


def normal_form(line: str) -> str:
    """A line with "#" in the place of each such quantity; any other line as it is.

    Of a line that was drawn over several times, as progress bars are, the last state counts.

    Args:
        line: One line, without its end.
    """
    if "\r" in line or "\b" in line:
        drawn = re.split(r"[\r\b]+", line)
        line = next((text for text in reversed(drawn) if text.strip()), "")
    if not _MAY_CHANGE.search(line):
        return line
    text = _HELD.sub(_without_held_times, _ESCAPES.sub("", line))
    text = replaced(measured(), text)
    if _OF_TIME.search(text):  # of loaders: "Time 1.23 (1.23)  Data 0.99 (0.99)"
        text = _LOADING.sub(r"\1#", text)
    if text == line:
        return line
    text = _SHARE_OF_TIME.sub("#", text)
    if _DONE.search(line):  # a bar that is as wide as the time beside it leaves room for
        text = _BAR.sub("━", text)
    # Columns are padded to the width of what stands in them.
    return " ".join(text.split())


@dataclass(frozen=True)
class Span:
    """When something was written.

    Attributes:
        begin: Seconds since 1970.
        end: The same.
    """

    begin: float
    end: float

    def holds(self, day: str, time: str) -> bool:
        """Whether a date and a time, digits alone, lie in it, as local time or as UTC.

        Args:
            day: Month and day, with the year or without.
            time: Hours and minutes, with seconds or without.
        """
        years = {datetime.fromtimestamp(at, timezone.utc).year for at in (self.begin, self.end)}
        days = [f"{year}{day}" for year in sorted(years)] if len(day) == 4 else [day]
        for written in days:
            try:
                moment = datetime.strptime(
                    written + time.ljust(6, "0"), f"{_FORMATS[len(day)]}%H%M%S"
                )
            except ValueError:
                continue
            as_both = (moment.timestamp(), moment.replace(tzinfo=timezone.utc).timestamp())
            if any(self.begin - _MINUTE_S <= at <= self.end + _MINUTE_S for at in as_both):
                return True
        return False


def without_run_names(line: str, span: Span | None) -> str:
    """A line with "#" where it may say what a run is called, by words and a number or a date.

    A configuration may be called so as well: that it is a name has to be shown otherwise. A round
    number or a power of two is a size.

    Args:
        line: The line in its normal form.
        span: When it was written; see `without_stamped_names`.
    """
    if not _MAY_BE_NAMED.search(line):
        return line
    return _NAME_OF_A_RUN.sub(_unless_round, without_stamped_names(line, span))


def without_stamped_names(line: str, span: Span | None) -> str:
    """A line with "#" where it may say what a run is called, by words before a date and a time.

    Args:
        line: The line in its normal form.
        span: When it was written: any other date is no name of that run. None where that is not
            known; only dates that went by their looks count then.
    """
    if not _MAY_BE_NAMED.search(line):
        return line

    def stamped(found: re.Match[str]) -> str:
        day, time = found["day"], found["time"]
        is_now = day is None or (span is not None and span.holds(day, time))
        return "#" if is_now else found[0]

    return _STAMPED_NAME.sub(stamped, line)


def _unless_round(found: re.Match[str]) -> str:
    number = _number_of(found)
    is_size = number % _ROUND == 0 or number & (number - 1) == 0
    return found[0] if is_size else f"{found[1]}#"


def _number_of(found: re.Match[str]) -> int:
    number = re.search(r"\d+$", found[0])
    return 0 if number is None else int(number[0])


def numbers_of_run_names(line: str, span: Span | None) -> list[int]:
    """The numbers in what `without_run_names` leaves out, but for dates and times."""
    return [_number_of(n) for n in _NAME_OF_A_RUN.finditer(without_stamped_names(line, span))]


def is_log_of_times(path: str) -> bool:
    """Whether a file is of a kind that holds the time of each of its entries, and cannot agree."""
    return "events.out.tfevents." in path


def is_report_of_failure(path: str) -> bool:
    """Whether a launcher of ranks has made a file for what a failing one says, in its own words."""
    folder, _, name = path.replace("\\", "/").rpartition("/")
    if name.startswith("pytorch-errorfile-"):
        return True
    return name == "error.json" and "/torchelastic_" in folder


def normal_lines(text: str, header: str = "") -> list[str]:
    """The lines of a text, each in its normal form.

    Without the columns of a table that are named for time, and without the numbers in a list or an
    object that is: `"seconds": {"small": 0.81, "large": 2.4}`.

    Args:
        text: The text; the first line of a table names its columns.
        header: The line that names them where the text goes on a table that was there before.
    """
    lines = _HELD.sub(_without_held_times, text).split("\n")
    header = header or lines[0]
    names = [name.strip().strip("\"'") for name in header.split(",")]
    timed = [n for n, name in enumerate(names) if len(names) > 1 and is_named_for_time(name)]
    if not timed:
        return [normal_form(line) for line in lines]
    # A run may name the columns once more above what it adds.
    return [
        line if line == header else normal_form(_without_cells(line, timed, len(names)))
        for line in lines
    ]


def _without_held_times(found: re.Match[str]) -> str:
    key, held = found["key"], found["held"]
    if not _NAMES_A_DURATION.fullmatch(key):
        return found[0]
    return found[0][: -len(held)] + _HELD_NUMBER.sub(r"\g<room>#", held)


def is_table_header(line: str) -> bool:
    """Whether a line may name the columns of a table: several cells, of which none is a number."""
    cells = [cell.strip().strip("\"'") for cell in line.split(",")]
    return len(cells) > 1 and not any(not cell or cell[0] in _NO_NAME for cell in cells)


def is_named_for_time(name: str) -> bool:
    """Whether a number of this name, in a line or a table, is a time or a rate."""
    return name.isascii() and normal_form(f"{name}=1.5") == f"{name}=#"


def _without_cells(line: str, numbers: list[int], size: int) -> str:
    cells = line.split(",")
    if len(cells) != size:
        return line  # a comma inside quotes, or no row of the table
    for number in numbers:
        cells[number] = "#"
    return ",".join(cells)
