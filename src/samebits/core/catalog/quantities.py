"""How quantities are written that differ in every run and say nothing of what was computed."""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass

NUMBER = r"[-+]?(?:\d+(?:,\d{3})*(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?"
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

_WEEKDAY = r"(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s+)?"
_MONTH = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"

# Each with what it holds one of, in small letters: see `Quantity.parts`.
_TIMES = (
    # glog's prefix: severity and date, time, thread
    (":", r"^[IWEF]\d{4}\s+\d\d:\d\d:\d\d\.\d+\s+\d+"),
    # 2024-01-02 10:11:12,123, 2024-01-02T10:11:12Z, 2024/01/02, 2024-01-02T101112.125
    (
        "- / .",
        r"\b\d{4}([-/.])\d\d\1\d\d"
        r"(?:[T_ -]+\d\d[:.-]\d\d(?:[:.-]\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"
        r"|[T_-][0-2]\d[0-5]\d[0-5]\d(?!\d)(?:[.,]\d+)?)?",
    ),
    # in a name: run2024_01_02_10_11_12
    (
        "_",
        r"(?<![\d.])(?:199\d|20[0-3]\d)_(?:0\d|1[0-2])_(?:[0-2]\d|3[01])(?:[_-]\d\d[_-]\d\d[_-]\d\d)?(?!\d)",
    ),
    # and with a few digits at random behind it: 20240102-101112-a57da2
    (
        "- _ t",
        r"(?<![\d.])(?:199\d|20[0-3]\d)(?:0\d|1[0-2])(?:[0-2]\d|3[01])[-_T]\d{4,6}(?:[-_][0-9a-f]{4,12})?\b",
    ),
    # a folder's name: runs/0102_101112
    (
        "/",
        r"(?<=/)(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[_-](?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?![\w.])",
    ),
    # 01/02/2024 10:11:12
    ("/", r"\b\d\d/\d\d/(?:19|20)?\d\d(?:[ ,]+\d\d?:\d\d(?::\d\d)?(?:\s*[AP]M)?)?"),
    # Mon 06 May 07:08:09
    (
        ":",
        rf"\b{_WEEKDAY}\d\d?[ -]"
        rf"{_MONTH}[a-z]*[ ,-]+"
        r"[0-2]?\d:[0-5]\d(?::[0-5]\d)?(?![\d:])",
    ),
    # Mon, 06 May 2024 07:08:09
    (
        _MONTHS,
        rf"\b{_WEEKDAY}\d\d?[ -]"
        rf"{_MONTH}[a-z]*[ -](?:19|20)\d\d"
        r"(?:[ ,]+\d\d?:\d\d(?::\d\d)?)?",
    ),
    # Tue Jan  2 10:11:12 2024, Jan02_10-11-12
    (
        _MONTHS,
        rf"\b{_WEEKDAY}(?:\d\d?\s+)?"
        rf"{_MONTH}[a-z]*[ _]*\d\d?"
        r"(?:[ _,]+\d\d?[:-]\d\d[:-]\d\d)?(?:[ ,]+(?:19|20)\d\d)?(?=\W|_|$)",
    ),
    # 02Jan-101112
    (
        _MONTHS,
        rf"(?<![\w.])\d\d{_MONTH}(?:\d\d(?:\d\d)?)?"
        r"[-_T]\d\d[-_:.]?\d\d(?:[-_:.]?\d\d)?(?![\w.])",
    ),
    # 3 days, 10:11:12.5
    (":", r"(?:\b\d+ days?, )?(?<![\d:.])\d{1,3}:\d\d:\d\d(?:[.,]\d+)?(?![\d:])"),
    # tqdm: [00:03<00:10, 3.1it/s]
    (":", r"(?<=\[)\d{1,3}:\d\d(?:<(?:\d{1,3}:\d\d|\?))?(?=[\],])"),
    # seconds since 1970, also in a name: run__1__1704189600
    (
        "16 17 18 19",
        r"(?:(?<![\w.])|(?<=[A-Za-z_]_)|(?<=\d__))1[6-9]\d{8}(?:\.\d+)?(?!\w|\.\d)",
    ),
)
_TEMPORARY = (
    ("/", r"(?:/private)?/(?:tmp|var/tmp|dev/shm)/[^\s/'\",:;)\]}]+"),
    ("/var/folders/", r"(?:/private)?/var/folders/[^\s/]+/[^\s/]+/T/[^\s/'\",:;)\]}]+"),
    ("tmp", r"\btmp[a-z0-9_]{8}\b"),
)
_RATES = (
    # 12.3ms/batch, 120 it/s, 1.2k tokens/sec, 9 M rows/s, 74.07/s, ?it/s
    (
        "/",
        rf"(?:(?<![\w.]){NUMBER}(?:\s?[kKMGT]\b(?=\s*[A-Za-z]))?[kKMGT]?|\?)\s*{_WORK}?\s*/\s*{_PER_TIME}\b",
    ),
    ("/", rf"(?:(?<![\w.]){NUMBER}|\?)\s*{_SMALL}\s*/\s*{_PER_WORK}\b"),
    ("fps", rf"(?<![\w.]){NUMBER}\s*(?:fps|FPS)\b"),
    # 23.1x faster
    (
        "faster slower",
        rf"(?<![\w.]){NUMBER}\s*[x×](?=\s+(?:faster|slower)(?:[\s.,;:!)]|$))",
    ),
    # 123 tokens per second, 2,956 steps a second
    ("per", rf"(?<![\w.]){NUMBER}\s*{_WORK}\s+per\s+(?:sec|second|minute)\b"),
    (
        "sec minute",
        rf"(?<![\w.]){NUMBER}\s*{_KNOWN_WORK}\s+(?:a|each|every)\s+(?:sec|second|minute)\b",
    ),
)
_MEMORY = (
    # 312.5 MB, 1.2 GiB: how much is in use depends on what the system has at hand
    (
        "kb kib mb mib gb gib tb tib",
        rf"(?<![\w.]){NUMBER}\s?[KMGT]i?B\b",
    ),
)
_IDENTIFIERS = (
    # 3f2504e0-4f89-41d3-9a0c-0305e82c3301
    ("-", r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"),
    # <__main__.Node object at 0x7f3c5a1b2d90>, and an address without a word before it
    ("0x", r"(?<=\bat )0x[0-9a-f]{9,16}\b"),
    ("0x", r"\b0x(?:7[ef]|5[56])[0-9a-f]{10}\b"),
    # the digest of all of a checkpoint of ours, of its date as well
    (
        "samebits",
        r"(?<=\{\"schema\": \"samebits\.checkpoint/\d\", \"blake2b\": \")[0-9a-f]{64}(?=\",$)",
    ),
    # an event file of TensorBoard: seconds, host, process, number
    ("tfevents", r"\bevents\.out\.tfevents\.\d{10}\.[^/\s]+"),
)
_DURATIONS = (
    # 1h 2m 3s, 2m3.5s
    (
        "s",
        rf"(?<![\w.])(?:\d+\s?d\s*)?(?:\d+\s?h\s*)?(?:\d+\s?m(?:in)?\s*){NUMBER}\s?s(?:ec)?\b",
    ),
    ("h", r"(?<![\w.])\d+\s?h\s*\d+\s?m(?:in)?\b"),
    # 3.2s, 15 minutes
    (
        "n u m s h d",
        rf"(?<![\w.]){NUMBER}\s?{_SMALL}\b",
    ),
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
_VALUE = rf"(?:\d+:\d\d(?::\d\d)?(?:\.\d+)?|{NUMBER})(?:\s*[A-Za-zµμ%]{{1,4}}\b|%)?"
AVERAGE = rf"(?:\s*\(\s*{_VALUE}\s*\))?"
BETWEEN = r"['\"]?\s*(?:[:=|~]|->)?\s*['\"]?"

_PHASE = r"(?-i:train|training|eval|evaluation|epoch)"
"""What a training takes time for. Any other key may name a quantity of its subject: settling_s,
lap_total_s, bearing_load_s. Whether these go by the clock, further runs tell."""

# The name stays, what it names goes.
_BY_NAME = (
    (
        "time timing elapsed duration wall eta took taken remaining fps sps wps ups ips qps tps rps"
        " mfu throughput flops date seconds secs msec _per_",
        rf"((?:^|(?<=[\s,;|({{\[/'\"-]))(?:[A-Za-z]\w*[_/.])?{_NAMED}{_AFTER}{_WORDS}"
        rf"{_UNIT_IN_BRACKETS}{BETWEEN})(?<!\d){_VALUE}{AVERAGE}",
    ),
    # tok/sec: 1234, ms/batch 12.3, train_samples_per_second = 81.0
    (
        "/ _per_",
        rf"((?:\b{_WORK}\s?/\s?{_PER_TIME}|\b(?:time|{_SMALL})\s?/\s?{_PER_WORK}"
        rf"|\b(?:\w*_)?{_WORK}_per_(?:s|sec|second))\b{BETWEEN}){_VALUE}{AVERAGE}",
    ),
    # a key that says what took so long: "training_s": 1.4
    (
        "_s _ms",
        rf"((?:^|(?<=[\s,{{]))['\"]?{_PHASE}_(?-i:s|secs?|seconds|ms)['\"]?\s*[:=]\s*){NUMBER}(?![\w.])",
    ),
    (
        "finished done completed trained loaded ran compiled",
        rf"(\b(?:finished|done|completed|trained|loaded|ran|compiled)\s+in\s+){_VALUE}",
    ),
)
_NUMBERS_OF_RUNS = (
    (
        "pid process",
        r"(\b(?:pid|process\s+id|ppid)['\"]?\s*[:=#]?\s*)\d+",
    ),
    # not what is to be done: "process 4096 rows"
    ("process", r"(\bprocess\s+)\d{3,}(?=\s*(?:$|[,;:.)\]]))"),
    # a port that the system has chosen: "port 43211", "http://localhost:6006"
    (
        "port localhost 127.0.0.1 0.0.0.0",
        r"(\bport['\"]?\s*[:=#]?\s*|(?:\blocalhost|\b127\.0\.0\.1|\b0\.0\.0\.0):)\d{4,5}\b(?!\.)",
    ),
    # of Lightning's loggers: a number, or the end of the name that the run was given
    ("v_num", r"(\bv_num['\"]?\s*[:=]\s*)[\w.-]+"),
    ("lightning_logs", r"(\blightning_logs/version_)\d+"),
)


@dataclass(frozen=True)
class Quantity:
    """One way to write a quantity.

    Attributes:
        expression: What it looks like.
        stand_in: What is put in its place.
        parts: Wherever it is written one of these is, in small letters. To look for them takes a
            tenth of the time that the expression takes, and most lines have none.
    """

    expression: re.Pattern[str]
    stand_in: str
    parts: tuple[str, ...]


_Written = tuple[str, str]
"""Its parts, with spaces between, and the expression."""


def _bare(written: Iterable[_Written]) -> tuple[Quantity, ...]:
    return tuple(
        Quantity(re.compile(pattern), "#", tuple(parts.split())) for parts, pattern in written
    )


def _given(written: Iterable[_Written]) -> tuple[Quantity, ...]:
    """What comes after a name, which stays."""
    return tuple(
        Quantity(re.compile(pattern, re.IGNORECASE), r"\1#", tuple(parts.split()))
        for parts, pattern in written
    )


@functools.cache
def of_a_run() -> tuple[Quantity, ...]:
    """What is as it is in a run alone: dates, folders and identifiers; numbers that it is given."""
    inside = ("/", re.escape(tempfile.gettempdir()) + r"/[^\s/'\",:;)\]}]+")
    return _bare((inside, *_TEMPORARY, *_IDENTIFIERS, *_TIMES)) + _given(_NUMBERS_OF_RUNS)


@functools.cache
def measured() -> tuple[Quantity, ...]:
    """What is as it is in a run alone, how long something took, and how much memory."""
    return (
        *(quantity for quantity in of_a_run() if quantity.stand_in == "#"),
        *_bare((*_RATES, *_MEMORY)),
        *_given((*_BY_NAME, *_NUMBERS_OF_RUNS)),
        *_bare(_DURATIONS),
    )


def replaced(quantities: Iterable[Quantity], text: str) -> str:
    """A text with a stand-in for each quantity.

    Args:
        quantities: What to look for, in this order.
        text: One line.
    """
    if not text.isascii():  # where letters may have several small forms
        for quantity in quantities:
            text = quantity.expression.sub(quantity.stand_in, text)
        return text
    small = text.lower()
    for quantity in quantities:
        for part in quantity.parts:
            if part in small:
                text = quantity.expression.sub(quantity.stand_in, text)
                break
    return text
