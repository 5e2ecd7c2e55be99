"""The time: as a seed, a duration, a date, a name."""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pace import PacePin
from samebits.check.causes.pin import Pin
from samebits.check.causes.variation import Variation
from samebits.check.causes.writing.only_printed import is_only_printed, only_tells_the_time
from samebits.check.causes.writing.seeds import STAYS, given_number, seeded_elsewhere_with
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.check.diff.verdict import PLAIN_ARGUMENTS
from samebits.core.names import printable
from samebits.core.setting import Setting
from samebits.core.source.archives import makes_an_archive, packs_files
from samebits.core.source.limits_of_time import times_set
from samebits.core.source.statement import Statement, called

if TYPE_CHECKING:
    from samebits.check.trace.reader import Trace


class ClockPin(Pin):
    """Time starts at a fixed moment and goes on by a fixed amount at each question."""

    name: ClassVar[str] = "clock"
    what: ClassVar[str] = "a clock that starts at a fixed moment and advances only when it is read"
    beside_a_variation: ClassVar[bool] = True
    hook: ClassVar[str | None] = "clock"
    by_site: ClassVar[bool] = True
    comes_and_goes: ClassVar[bool] = True


class SqliteClockPin(Pin):
    """SQLite's clock stands still."""

    name: ClassVar[str] = "sqlite-clock"
    what: ClassVar[str] = "'now' of SQLite being the same moment in every run"
    beside_a_variation: ClassVar[bool] = True
    hook: ClassVar[str | None] = "sqlite-clock"


_SQLITE = "sqlite"
_LONGEST_S, _SHORTEST_S = 0.01, 1e-6
"""Seconds by which a pinned clock may go on at each question."""


def clock_pace(trace: Trace) -> dict[str, Setting]:
    """Settings of the pinned clock by which it goes on about as fast as it did in a run.

    It goes on by a power of two. Two times then differ by the same bits of a float, whatever has
    passed before: how long a task took does not go by which thread or process has taken it.

    Args:
        trace: The run.
    """
    return {"advance": 2.0 ** round(math.log2(seconds_a_question(trace, _LONGEST_S)))}


def seconds_a_question(trace: Trace, longest: float) -> float:
    """How much time a run took for each question for it.

    A loop that lasts until a deadline then does about as much as it did. With a clock that goes on
    faster it may do nothing at all, and the script fail for it.

    Args:
        trace: The run.
        longest: No more seconds than that.
    """
    asked = sum(row.calls for row in trace.ledger() if row.source == "clock")
    return min(max(trace.manifest.seconds / max(asked, 1), _SHORTEST_S), longest)


class ClockVariation(Variation):
    """It is another year, month, day of the week and half of the day; durations are real."""

    name: ClassVar[str] = "clock"
    what: ClassVar[str] = "another date and time of day"
    meaning: ClassVar[str] = "the date or the time of day reached a result"
    fix: ClassVar[str] = "Use a fixed seed and a fixed date in place of the current time."
    hook: ClassVar[str | None] = "clock"
    settings: ClassVar[dict[str, Setting]] = {"mode": "shifted"}
    idle: ClassVar[str | None] = "the script asked for no date and no time of day"


class ClockRead(KnownCause):
    """The script read a clock, and what it read reached a result."""

    code: ClassVar[str] = "clock"
    meaning: ClassVar[str] = "The time reached a result: as a seed, a duration, a name."
    look: ClassVar[str] = (
        "Compute with something that does not change from run to run in place of the time: a "
        "fixed seed, a number of steps in place of seconds, a size that is set in place of the one "
        "that was fastest, a date that is written down."
    )
    look_elsewhere: ClassVar[str] = (
        "In what that process runs, compute with something that does not change from run to run in "
        "place of the time: a fixed seed, a number of steps in place of seconds."
    )
    pins: ClassVar[tuple[Pin, ...]] = (ClockPin(), SqliteClockPin())
    variations: ClassVar[tuple[Variation, ...]] = (ClockVariation(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Any question for the time; one whose answer is only printed hardly counts."""
        entries = evidence.of("clock")
        if evidence.asks_for_the_time_in_sql and not evidence.is_elsewhere:
            # SQLite asks in C: no entry tells of it.
            yield Hypothesis(
                pin="sqlite-clock",
                code=self.code,
                detail=_SQLITE,
                standing=Standing.NOTED if evidence.found.data else Standing.POSSIBLE,
            )
        if evidence.is_elsewhere:
            yield Hypothesis(pin="clock", code=self.code, standing=Standing.POSSIBLE)
            return
        asked = [entry for entry in entries if not entry.internal]
        of_seed = evidence.seeds_came_from("clock")
        if not entries or (not of_seed and (not asked or _are_only_printed(asked))):
            yield from self._hardly_asked(evidence, asked or entries)
            return
        decides_a_way = evidence.is_another_way or evidence.found.detail == PLAIN_ARGUMENTS
        is_told = evidence.unseeded or _only_tells(evidence, asked)
        if of_seed or evidence.other_seeds:
            standing = Standing.NOTED
        elif decides_a_way or _is_kept(evidence) or not is_told:
            standing = Standing.POSSIBLE
        else:
            standing = Standing.FAINT
        yield Hypothesis(pin="clock", code=self.code, standing=standing, entries=asked or entries)

    def _hardly_asked(
        self, evidence: Evidence, entries: Sequence[LedgerPair]
    ) -> Iterator[Hypothesis]:
        """Where the script asks for no time but to print it."""
        is_kept = _is_kept(evidence, asked=bool(entries))
        if not (entries or is_kept):
            return
        # Which of several threads writes a file when decides which time it gets.
        of_threads = is_kept and bool(evidence.of("thread"))
        yield Hypothesis(
            pin="clock",
            code=self.code,
            standing=Standing.POSSIBLE if is_kept else Standing.FAINT,
            entries=entries,
            beside=frozenset({PacePin.name}) if of_threads else frozenset(),
        )

    def detail(self, hypothesis: Hypothesis, culprit: Culprit) -> str:
        """The function that was asked."""
        if culprit.entry is None:
            return super().detail(hypothesis, culprit)
        return printable(culprit.entry.row.detail, 80)

    def written(self, statement: Statement, culprit: Culprit) -> str | None:
        """A seed that is a number."""
        return given_number(statement, culprit)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What to do in place of stopping after a time, or of computing with today's date."""
        if culprit.detail == _SQLITE:
            return _IN_SQL
        if culprit.compared:
            return _COMPARED.format(culprit.compared)
        if _is_of_an_archive(culprit) and statement is not None:
            return _ARCHIVED
        if culprit.entry is not None and culprit.entry.row.event == "start":
            return _SIGNALLED
        if culprit.seeds:
            return seeded_elsewhere_with(culprit)
        if statement is not None and (_compares(statement) or times_set(statement)):
            return "Count steps instead of seconds: stop, or save, after a number of steps."
        if culprit.seeded:
            return STAYS
        if culprit.detail.startswith("datetime"):
            return (
                "Use a fixed date, or one that the data contain, such as their newest, instead of "
                "the current time."
            )
        if statement is not None and any(map(_is_a_duration, statement.expressions())):
            return _DURATION
        return self.look


_IN_SQL = (
    "'now' and CURRENT_TIMESTAMP in SQL are the moment at which a query runs. Write a fixed date "
    "in their place, or give the query one as a parameter (?): one that the data contain, such as "
    "their newest, or that of the export. Rounded to days, 'now' is another one tomorrow."
)
_COMPARED = (
    "Where all before it is equal, the order of such objects goes by this time: {}. Leave it out "
    "of comparisons, field(compare=False), or sort with a key that has what does not change alone, "
    "and let ties go by a number."
)
_ARCHIVED = (
    "An archive keeps the time at which each of its files was written, so that its bytes are new "
    "in each run. Take the digest, the size or the seed from what the files hold, in the order of "
    "their names. Or leave their times out: info.mtime = 0 for tarfile, ZipInfo(name) for zipfile, "
    'mtime=0 for gzip, compression={"method": "gzip", "mtime": 0} for pandas.'
)

_SIGNALLED = (
    "The signal finds the script at another place in each run. Do what it asks for after a number "
    "of steps. Or have it change nothing that the script goes on with: let it draw from a "
    "generator of its own, such as torch.Generator().manual_seed(0), and leave weights, statistics "
    "and training mode as they are."
)
_DURATION = (
    "How long something took is another number in each run. Print it, and compute with how much "
    "work it was in its place, such as a number of steps, samples or parameters. Where it chooses "
    "between several ways to do something, set the choice, or store it once and read it back."
)
_CLOCKS = frozenset({"monotonic", "perf_counter", "process_time", "thread_time", "time"})

_IDENTITY = (ast.Is, ast.IsNot, ast.In, ast.NotIn)
"""Comparisons that no time takes part in, such as `now is None`."""


def _is_a_duration(node: ast.expr) -> bool:
    """Whether an expression subtracts from what a clock says: `time.perf_counter() - began`."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Sub):
        return False
    return called(node.left).removesuffix("_ns") in _CLOCKS


def _is_of_an_archive(culprit: Culprit) -> bool:
    if culprit.entry is not None:
        return makes_an_archive(culprit.entry.row.detail)
    return packs_files(culprit.file)


def _is_kept(evidence: Evidence, *, asked: bool = True) -> bool:
    """Whether an archive may bring times to where the runs diverge: in a seed, or in data.

    They are those of files, for which nobody asks a clock. Of data that is looked at early where
    the script asks for the time as well: else most archives hold none that matters.
    """
    of_data = asked and evidence.found.data and not evidence.unseeded
    of_seed = any(entry.origin is None for entry in evidence.other_seeds)
    return bool(evidence.packed) and (of_data or of_seed)


def _are_only_printed(entries: Sequence[LedgerPair]) -> bool:
    return all(entry.place is not None and is_only_printed(*entry.place) for entry in entries)


def _only_tells(evidence: Evidence, entries: Sequence[LedgerPair]) -> bool:
    """Whether the time is only told, in text and under names of times; not where text differs."""
    if evidence.found.kind in ("printed", "saved"):
        return False
    return all(entry.place is not None and only_tells_the_time(*entry.place) for entry in entries)


def _compares(statement: Statement) -> bool:
    """Whether a line asks if something is over: what it compares decides the way, not a number."""
    return any(
        isinstance(node, ast.Compare) and not all(isinstance(one, _IDENTITY) for one in node.ops)
        for node in statement.expressions()
    )
