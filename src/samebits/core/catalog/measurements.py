"""Quantities in printed text that differ in every run and say nothing of what was computed.

Durations, dates, throughput, paths of temporary folders, numbers of processes. Each is recognised
by what stands beside the number: a unit, or a name. A number without either is a result.
"""

from __future__ import annotations

import functools
import itertools
import re
import tempfile
from dataclasses import dataclass
from datetime import datetime, timezone

_NUMBER = r"[-+]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
_SMALL = r"(?:ns|us|µs|μs|ms|s|secs?|seconds?|mins?|minutes?|hrs?|hours?|days?)"
_PER_TIME = r"(?:s|secs?|seconds?|mins?|minutes?)"
_PER_WORK = (
    r"(?:it|iters?|iterations?|steps?|batch(?:es)?|epochs?|samples?|images?|img|tok(?:en)?s?)"
)
_ITEMS = (
    r"(?:its|exs?|examples?|seqs?|sequences?|rows?|reqs?|requests?|frames?|files?|items?|docs?"
    r"|documents?|imgs|records?|lines?|words?|sentences?|envs?|episodes?|games?|graphs?|nodes?"
    r"|calls?|jobs?|tasks?|trials?|updates?|evals?|chars?|clips?)"
)
_SIZES = r"(?:[kKMGT]?i?(?:B|b|[Bb]ytes?|bits?)|[kKMGTP]?(?:FLOP|Flop|flop|OP)[Ss]?)"
_MEASURED = (
    r"(?i:amperes|arrivals|beats|births|breaths|calories|casualties|cells|clicks|collisions"
    r"|counts|cycles|deaths|decays|degrees|degs|departures|electrons|events|flashes|goals"
    r"|(?:kilo|milli|micro)?grams|heartbeats|inches|joules|kelvins"
    r"|(?:kilo|centi|milli)?(?:liters|litres|meters|metres)|miles|moles|neutrons|newtons"
    r"|oscillations|pascals|passengers|patients|pedestrians|photons|pulses|radians|rads|revs|revolutions"
    r"|rotations|spikes|strides|strokes|syllables|turns|vehicles|visits|volts|watts)"
)
"""What a program measures or simulates, rather than what it works through."""
_KNOWN_WORK = rf"(?:{_PER_WORK}|{_ITEMS})"
_WORK = rf"(?:(?:{_KNOWN_WORK}|{_SIZES}|(?!{_MEASURED}(?![A-Za-z]))[A-Za-z]{{3,}}s)(?![A-Za-z]))"
"""What goes by in a time: steps, rows, MB, echograms. Another unit (m/s, rad/s) is a result's."""

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MAY_CHANGE = re.compile(r"\d|tmp|/dev/shm/|/var/folders/|\?\s*it/s")

_TIMES = (
    # glog's prefix: severity and date, time, thread
    r"^[IWEF]\d{4}\s+\d\d:\d\d:\d\d\.\d+\s+\d+",
    # 2024-01-02 10:11:12,123, 2024-01-02T10:11:12Z, 2024/01/02, 2024-01-02T101112.125
    r"\b\d{4}([-/.])\d\d\1\d\d"
    r"(?:[T_ -]+\d\d[:.-]\d\d(?:[:.-]\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|[T_-][0-2]\d[0-5]\d[0-5]\d(?!\d)(?:[.,]\d+)?)?",
    # in a name: run2024_01_02_10_11_12
    r"(?<![\d.])(?:199\d|20[0-3]\d)_(?:0\d|1[0-2])_(?:[0-2]\d|3[01])(?:[_-]\d\d[_-]\d\d[_-]\d\d)?(?!\d)",
    # and with a few digits at random behind it: 20240102-101112-a57da2
    r"(?<![\d.])(?:199\d|20[0-3]\d)(?:0\d|1[0-2])(?:[0-2]\d|3[01])[-_T]\d{4,6}(?:[-_][0-9a-f]{4,12})?\b",
    # a folder's name: runs/0102_101112
    r"(?<=/)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[_-](?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?![\w.])",
    # 01/02/2024 10:11:12
    r"\b\d\d/\d\d/(?:19|20)?\d\d(?:[ ,]+\d\d?:\d\d(?::\d\d)?(?:\s*[AP]M)?)?",
    # Mon 06 May 07:08:09
    r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?\d\d?[ -]"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ ,-]+"
    r"[0-2]?\d:[0-5]\d(?::[0-5]\d)?(?![\d:])",
    # Mon, 06 May 2024 07:08:09
    r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?\d\d?[ -]"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ -](?:19|20)\d\d"
    r"(?:[ ,]+\d\d?:\d\d(?::\d\d)?)?",
    # Tue Jan  2 10:11:12 2024, Jan02_10-11-12
    r"\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?(?:\d\d?\s+)?"
    r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*[ _]*\d\d?"
    r"(?:[ _,]+\d\d?[:-]\d\d[:-]\d\d)?(?:[ ,]+(?:19|20)\d\d)?(?=\W|_|$)",
    # 02Jan-101112
    r"(?<![\w.])\d\d(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)(?:\d\d(?:\d\d)?)?"
    r"[-_T]\d\d[-_:.]?\d\d(?:[-_:.]?\d\d)?(?![\w.])",
    # 3 days, 10:11:12.5
    r"(?:\b\d+ days?, )?(?<![\d:.])\d{1,3}:\d\d:\d\d(?:[.,]\d+)?(?![\d:])",
    # tqdm: [00:03<00:10, 3.1it/s]
    r"(?<=\[)\d{1,3}:\d\d(?:<(?:\d{1,3}:\d\d|\?))?(?=[\],])",
    # seconds since 1970, also in a name: run__1__1704189600
    r"(?:(?<![\w.])|(?<=[A-Za-z_]_)|(?<=\d__))1[6-9]\d{8}(?:\.\d+)?(?!\w|\.\d)",
)
_TEMPORARY = (
    r"(?:/private)?/(?:tmp|var/tmp|dev/shm)/[^\s/'\",:;)\]}]+",
    r"(?:/private)?/var/folders/[^\s/]+/[^\s/]+/T/[^\s/'\",:;)\]}]+",
    r"\btmp[a-z0-9_]{8}\b",
)
_RATES = (
    # 12.3ms/batch, 120 it/s, 1.2k tokens/sec, 9 M rows/s, 74.07/s, ?it/s
    rf"(?:(?<![\w.]){_NUMBER}(?:\s?[kKMGT]\b(?=\s*[A-Za-z]))?[kKMGT]?|\?)\s*{_WORK}?\s*/\s*{_PER_TIME}\b",
    rf"(?:(?<![\w.]){_NUMBER}|\?)\s*{_SMALL}\s*/\s*{_PER_WORK}\b",
    rf"(?<![\w.]){_NUMBER}\s*(?:fps|FPS)\b",
    # 23.1x faster
    rf"(?<![\w.]){_NUMBER}\s*[x×](?=\s+(?:faster|slower)(?:[\s.,;:!)]|$))",
    # 123 tokens per second, 2,956 steps a second
    rf"(?<![\w.]){_NUMBER}\s*{_WORK}\s+per\s+(?:sec|second|minute)\b",
    rf"(?<![\w.]){_NUMBER}\s*{_KNOWN_WORK}\s+(?:a|each|every)\s+(?:sec|second|minute)\b",
)
_MEMORY = (
    # 312.5 MB, 1.2 GiB: how much is in use depends on what the system has at hand
    rf"(?<![\w.]){_NUMBER}\s?[KMGT]i?B\b",
)
_IDENTIFIERS = (
    # 3f2504e0-4f89-41d3-9a0c-0305e82c3301
    r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b",
    # <__main__.Node object at 0x7f3c5a1b2d90>, and an address without a word before it
    r"(?<=\bat )0x[0-9a-f]{9,16}\b",
    r"\b0x(?:7[ef]|5[56])[0-9a-f]{10}\b",
    # the digest of all of a checkpoint of ours, of its date as well
    r"(?<=\{\"schema\": \"samebits\.checkpoint/\d\", \"blake2b\": \")[0-9a-f]{64}(?=\",$)",
    # an event file of TensorBoard: seconds, host, process, number
    r"\bevents\.out\.tfevents\.\d{10}\.[^/\s]+",
)
_DURATIONS = (
    # 1h 2m 3s, 2m3.5s
    rf"(?<![\w.])(?:\d+\s?d\s*)?(?:\d+\s?h\s*)?(?:\d+\s?m(?:in)?\s*){_NUMBER}\s?s(?:ec)?\b",
    r"(?<![\w.])\d+\s?h\s*\d+\s?m(?:in)?\b",
    # 3.2s, 15 minutes
    rf"(?<![\w.]){_NUMBER}\s?{_SMALL}\b",
)
_NAMED = (
    r"(?:time|times|timing|timestamp|elapsed|duration|runtime|walltime|wall|eta|took|taken"
    r"|remaining|fps|sps|wps|ups|ips|qps|tps|rps|mfu|throughput|t?flops|gflops"
    r"|date|datetime|cpu_time"
    r"|seconds|secs|milliseconds|msec"
    r"|samples_per_second|steps_per_second|tokens_per_second|iter_per_s|it_per_sec)"
)
_AFTER = (
    r"(?:_(?:s|sec|secs|seconds|ms|us|ns|total|avg|mean|elapsed|taken|left|spent|cost|this_iter_s"
    r"|total_s|per_(?:step|iter|iteration|batch|epoch|sample|token|second|sec)))?"
)
_WORDS = (
    r"(?:\s+(?:elapsed|taken|spent|used|cost|costs|total|left|remaining|is|was|so\s+far"
    r"|(?:per|for|of|a|each)\s+[a-z]+))*"
)
_UNIT_IN_BRACKETS = r"(?:\s*[\[(](?:s|sec|secs|seconds|ms|us|min|mins|minutes|h|hours)[\])])?"
_VALUE = rf"(?:\d+:\d\d(?::\d\d)?(?:\.\d+)?|{_NUMBER})(?:\s*[A-Za-zµμ%]{{1,4}}\b|%)?"
_AVERAGE = rf"(?:\s*\(\s*{_VALUE}\s*\))?"
_BETWEEN = r"['\"]?\s*(?:[:=|~]|->)?\s*['\"]?"

_PHASE = r"(?-i:train|training|eval|evaluation|epoch)"
"""What a training takes time for. Any other key may name a quantity of its subject: settling_s,
lap_total_s, bearing_load_s. Whether these go by the clock, further runs tell."""

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

# The name stays, what it names goes.
_BY_NAME = (
    rf"((?:^|(?<=[\s,;|({{\[/'\"-]))(?:[A-Za-z]\w*[_/.])?{_NAMED}{_AFTER}{_WORDS}"
    rf"{_UNIT_IN_BRACKETS}{_BETWEEN})(?<!\d){_VALUE}{_AVERAGE}",
    # tok/sec: 1234, ms/batch 12.3, train_samples_per_second = 81.0
    rf"((?:\b{_WORK}\s?/\s?{_PER_TIME}|\b(?:time|{_SMALL})\s?/\s?{_PER_WORK}"
    rf"|\b(?:\w*_)?{_WORK}_per_(?:s|sec|second))\b{_BETWEEN}){_VALUE}{_AVERAGE}",
    # a key that says what took so long: "training_s": 1.4
    rf"((?:^|(?<=[\s,{{]))['\"]?{_PHASE}_(?-i:s|secs?|seconds|ms)['\"]?\s*[:=]\s*){_NUMBER}(?![\w.])",
    rf"(\b(?:finished|done|completed|trained|loaded|ran|compiled)\s+in\s+){_VALUE}",
)
_NUMBERS_OF_RUNS = (
    r"(\b(?:pid|process\s+id|ppid)['\"]?\s*[:=#]?\s*)\d+",
    # not what is to be done: "process 4096 rows"
    r"(\bprocess\s+)\d{3,}(?=\s*(?:$|[,;:.)\]]))",
    # a port that the system has chosen: "port 43211", "http://localhost:6006"
    r"(\bport['\"]?\s*[:=#]?\s*|(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0):)\d{4,5}\b(?!\.)",
    # of Lightning's loggers: a number, or the end of the name that the run was given
    r"(\bv_num['\"]?\s*[:=]\s*)[\w.-]+",
    r"(\blightning_logs/version_)\d+",
)
# "run amber-7345", "runs/eager-lagoon-159", {"name": "eager-lagoon-159"}
_NAME_OF_A_RUN = re.compile(
    rf"((?<!best )\b(?:(?:run|job|experiment|session)(?:[ _]?(?:name|id))?{_BETWEEN}|runs?/"
    rf"|name['\"]?\s*[:=]\s*['\"]?)){_MADE_UP}",
    re.IGNORECASE,
)
# "madder-1128-010341", "woad-20261128-0103", and "weld-#", where the stamp has gone already
_STAMPED_NAME = re.compile(
    rf"(?<!best )(?<![\w.-])(?!{_COUNTED}[-_])[a-z]{{3,}}(?:[-_](?!{_COUNTED}[-_])[a-z]{{3,}})*[-_]"
    r"(?:#|(?P<day>\d{4}|\d{6}|\d{8})[-_T](?P<time>\d{4}(?:\d\d)?))(?![\w.-])",
    re.IGNORECASE,
)
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
_HELD_NUMBER = re.compile(rf"(?<=[\[:,])(?P<room>\s*){_NUMBER}(?=\s*[,\]}}])")
_NAMES_A_DURATION = re.compile(
    r"(?:\w*_)?(?:seconds|secs|milliseconds|elapsed|runtimes?|walltimes?|wall_times?)"
    r"|(?:train|training|eval|evaluation|epoch|fit)_(?:s|ms)",
    re.IGNORECASE,
)
"""Of a list or an object that is called otherwise ("durations", "times"), they may be a result."""
_NO_NAME = frozenset("0123456789+-.{}[]:")
_IDLY = r"(?:blocked|idle|loading|stalled|wait(?:ed|ing)?)"
_SHARE_OF_TIME = re.compile(
    rf"(?<![\w.]){_NUMBER}\s?%(?=\s+(?:of\s+(?:it|the\s+time|that)\s+)?{_IDLY}\b)"
    rf"|(?<=\bwaiting\s)(?<![\w.]){_NUMBER}\s?%",
    re.IGNORECASE,
)
"""How much of a time that the same line tells was spent waiting."""
_LOADING = re.compile(rf"(\bdata{_BETWEEN}){_NUMBER}(\s*s\b)?{_AVERAGE}", re.IGNORECASE)


_Pattern = tuple[re.Pattern[str], str]


@functools.cache
def _patterns_of_runs() -> tuple[tuple[_Pattern, ...], tuple[_Pattern, ...]]:
    """What is as it is in a run alone: dates, folders and identifiers; numbers that it is given."""
    folder = re.escape(tempfile.gettempdir()) + r"/[^\s/'\",:;)\]}]+"
    bare = (folder, *_TEMPORARY, *_IDENTIFIERS, *_TIMES)
    return (
        tuple((re.compile(pattern), "#") for pattern in bare),
        tuple((re.compile(pattern, re.IGNORECASE), r"\1#") for pattern in _NUMBERS_OF_RUNS),
    )


@functools.cache
def _patterns() -> tuple[_Pattern, ...]:
    bare, given = _patterns_of_runs()
    return (
        *bare,
        *((re.compile(pattern), "#") for pattern in (*_RATES, *_MEMORY)),
        *((re.compile(pattern, re.IGNORECASE), r"\1#") for pattern in _BY_NAME),
        *given,
        *((re.compile(pattern), "#") for pattern in _DURATIONS),
    )


def form_with_times(line: str) -> str:
    """A line with "#" for dates, temporary folders, ports and the like: durations and sizes stay.

    Args:
        line: One line, without its end.
    """
    for pattern, stand_in in itertools.chain.from_iterable(_patterns_of_runs()):
        line = pattern.sub(stand_in, line)
    return " ".join(line.split())


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
    for pattern, stand_in in _patterns():
        text = pattern.sub(stand_in, text)
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
    return _NAME_OF_A_RUN.sub(_unless_round, without_stamped_names(line, span))


def without_stamped_names(line: str, span: Span | None) -> str:
    """A line with "#" where it may say what a run is called, by words before a date and a time.

    Args:
        line: The line in its normal form.
        span: When it was written: any other date is no name of that run. None where that is not
            known; only dates that went by their looks count then.
    """

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
