"""The ledgers of two runs side by side: who drew and read what, the line to blame first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from samebits.check.diff.correspondence import base_name
from samebits.check.diff.ledger_differences import entries_differ
from samebits.check.diff.ledger_pairing import is_of_an_import
from samebits.check.diff.ledger_pairs import ENTROPY, GENERATORS, is_internal
from samebits.check.diff.ledger_reach import LedgerReach, ledger_reach
from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.source import place_text
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.core.counted import how_often

MOST_LEDGER_ROWS = 200
"""Rows of the ledger on the page; `samebits ledger` lists all of them."""

_KINDS = {"loader worker": "loader workers", "process": "processes"}
"""What is numbered → what several of them are called."""
_NEVER_THE_SAME = (*ENTROPY, "clock")

_Key = tuple[str, str, str, str, int, int, int]
Place = tuple[str, int | None]
"""Name and line of a file: a verdict file has its path as it was shown, a ledger the whole path."""


@dataclass(frozen=True, kw_only=True)
class DrawnRow:
    """One line that drew or read, as each run has it; every field is ready to print.

    Attributes:
        source: "torch-cpu".
        event: "draw".
        detail: "torch.rand".
        place: "train.py:12", or "".
        who: "the script", "loader worker 2", "process 3", "rank 1".
        a: How often, and how much, in run A; "" where it did not.
        b: The same in run B.
        state: "differs", "other values" of what never repeats, "not compared", or "".
        unseeded: Whether nobody had seeded the generator.
        blamed: Whether it stands on a line that the verdict blames, and does not agree.
        rank: Where it stands in the table: what is blamed, what differs, and imports at the end.
    """

    source: str
    event: str
    detail: str
    place: str
    who: str
    a: str
    b: str
    state: str
    unseeded: bool
    blamed: bool
    rank: int


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """The ledgers of two runs.

    Attributes:
        rows: The first rows, at most `MOST_LEDGER_ROWS`.
        total: How many there are.
        several: Whether they are of more than one process.
    """

    rows: tuple[DrawnRow, ...] = ()
    total: int = 0

    @property
    def several(self) -> bool:
        """Whether they are of more than one process."""
        return len({row.who for row in self.rows}) > 1


NOTHING_DRAWN = Drawn()


def drawn(processes: Sequence[tuple[str, Trace, Trace | None]], blamed: Collection[Place]) -> Drawn:
    """Merge the ledgers of two runs line by line.

    Args:
        processes: What each process is called, and what it recorded in run A and in run B; None
            where there is one run alone.
        blamed: Names and lines of the files that the verdict blames.

    Raises:
        TraceError: A ledger is damaged.
    """
    rows = _merged(row for process in processes for row in _of_process(*process, blamed))
    rows.sort(key=lambda row: row.rank)
    return Drawn(rows=tuple(rows[:MOST_LEDGER_ROWS]), total=len(rows))


def _merged(rows: Iterable[DrawnRow]) -> list[DrawnRow]:
    """Workers and children that did one thing alike share a row: a loader has many of them."""
    alike: dict[DrawnRow, list[DrawnRow]] = {}
    for row in rows:
        kind = next((one for one in _KINDS if row.who.startswith(f"{one} ")), None)
        who = row.who if kind is None else _KINDS[kind]
        alike.setdefault(replace(row, who=who), []).append(row)
    return [
        found[0] if len(found) == 1 else replace(shared, who=f"{len(found)} {shared.who}")
        for shared, found in alike.items()
    ]


def _of_process(
    name: str, a: Trace, b: Trace | None, blamed: Collection[Place]
) -> Iterator[DrawnRow]:
    first = {_key(row): row for row in a.ledger()}
    second = {} if b is None else {_key(row): row for row in b.ledger()}
    reach = None if b is None else ledger_reach(a, b)
    for key in dict.fromkeys([*first, *second]):
        yield _drawn(first.get(key), second.get(key), name, reach, blamed)


def _key(row: LedgerRow) -> _Key:
    file, line = (row.site.file, row.site.line) if row.site is not None else ("", 0)
    return row.source, row.event, row.detail, file, line, row.process, row.worker


def _drawn(
    mine: LedgerRow | None,
    theirs: LedgerRow | None,
    name: str,
    reach: LedgerReach | None,
    blamed: Collection[Place],
) -> DrawnRow:
    row = mine or theirs
    assert row is not None
    state = "" if reach is None else _state(mine, theirs, reach)
    is_unseeded = row.seeded == 0 and row.source in GENERATORS
    on_line = row.site is not None and (base_name(row.site.file), row.site.line) in blamed
    is_blamed = on_line and bool(state or is_unseeded or reach is None)
    return DrawnRow(
        source=printable_name(row.source),
        event=printable_name(row.event),
        detail=printable_text(row.detail),
        place="" if row.site is None else place_text(row.site.file, row.site.line),
        who=_who(row, name),
        a=_counted(mine),
        b=_counted(theirs),
        state=state,
        unseeded=is_unseeded,
        blamed=is_blamed and not is_of_an_import(row),
        rank=_rank(row, state, is_blamed),
    )


def _state(mine: LedgerRow | None, theirs: LedgerRow | None, reach: LedgerReach) -> str:
    if entries_differ(mine, theirs):
        return "not compared" if reach.explains((mine, theirs)) else "differs"
    if mine is not None and theirs is not None and mine.digest != theirs.digest:
        return "other values" if mine.source in _NEVER_THE_SAME else ""
    return ""


def _rank(row: LedgerRow, state: str, is_blamed: bool) -> int:
    if is_of_an_import(row):
        return 6
    if is_blamed:
        # What the line itself draws or reads comes before the seeds of the loader's workers there.
        return 0 if not is_internal(row) else 1
    if is_internal(row):
        return 4 if state == "differs" else 5
    return 2 if state in ("differs", "other values") or row.seeded == 0 else 3


def _who(row: LedgerRow, name: str) -> str:
    if row.worker >= 0:
        return f"loader worker {row.worker}"
    return f"process {row.process}" if row.process else name


def _counted(row: LedgerRow | None) -> str:
    if row is None:
        return ""
    times = how_often(row.calls)
    return f"{times}, {row.amount:,}" if row.amount else times
