"""What surrounded two runs, side by side: the ledger, the environment and the switches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samebits.check.diff.ledger_pairs import GENERATORS
from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.source import place_text
from samebits.check.trace.reader import Trace
from samebits.check.trace.rows import LedgerRow
from samebits.check.trials.manifest_causes import environment_difference

MOST_LEDGER_ROWS = 200
"""Rows of the ledger on the page; `samebits ledger` lists all of them."""

_IMPORT = "import "
"""How the ledger calls what a library did as it was imported."""

_Key = tuple[str, str, str, str, int, int, int]


@dataclass(frozen=True, kw_only=True)
class DrawnRow:
    """One line that drew or read, as each run has it; every field is ready to print.

    Attributes:
        source: "torch-cpu".
        event: "draw".
        detail: "torch.rand".
        place: "train.py:12", or "".
        a: How often, and how much, in run A; "" where it did not.
        b: The same in run B.
        same: Whether both saw the same, as far as is known.
        unseeded: Whether nobody had seeded the generator.
        of_import: Whether a library did it as it was imported.
    """

    source: str
    event: str
    detail: str
    place: str
    a: str
    b: str
    same: bool
    unseeded: bool
    of_import: bool


@dataclass(frozen=True, kw_only=True)
class FactRow:
    """A fact that is not the same around both runs; every field is ready to print."""

    fact: str
    a: str
    b: str
    effect: str


def drawn_rows(a: Trace, b: Trace | None) -> tuple[DrawnRow, ...]:
    """The ledgers of two runs, merged line by line: what differs, what agrees, then imports.

    Args:
        a: Run A.
        b: Run B, or None where there is one run alone.

    Raises:
        TraceError: A ledger is damaged.
    """
    first = {_key(row): row for row in a.ledger()}
    second = {} if b is None else {_key(row): row for row in b.ledger()}
    rows = [
        _drawn(first.get(key), second.get(key), b is not None)
        for key in dict.fromkeys([*first, *second])
    ]
    rows.sort(key=lambda row: (row.of_import, row.same))
    return tuple(rows[:MOST_LEDGER_ROWS])


def fact_rows(a: Trace, b: Trace) -> tuple[FactRow, ...]:
    """Facts of the environments, and settings of torch, that the two runs do not share.

    Raises:
        TraceError: A manifest is damaged.
    """
    found = environment_difference(a, b)
    rows = [
        FactRow(
            fact=printable_name(one.fact),
            a=_value(one.a),
            b=_value(one.b),
            effect={"changes": "changes bits", "may": "may change bits"}.get(
                one.effect, "harmless"
            ),
        )
        for one in (() if found is None else found.differences)
    ]
    mine, theirs = (dict(_settings(trace.manifest.switches)) for trace in (a, b))
    for name in sorted({*mine, *theirs}):
        if mine.get(name) != theirs.get(name):
            rows.append(
                FactRow(
                    fact=printable_name(name),
                    a=_value(mine.get(name)),
                    b=_value(theirs.get(name)),
                    effect="may change bits",
                )
            )
    return tuple(rows)


def _key(row: LedgerRow) -> _Key:
    file, line = (row.site.file, row.site.line) if row.site is not None else ("", 0)
    return row.source, row.event, row.detail, file, line, row.process, row.worker


def _drawn(mine: LedgerRow | None, theirs: LedgerRow | None, two: bool) -> DrawnRow:
    row = mine or theirs
    assert row is not None
    place = "" if row.site is None else place_text(row.site.file, row.site.line)
    same = not two or (
        mine is not None
        and theirs is not None
        and (mine.calls, mine.amount, mine.digest) == (theirs.calls, theirs.amount, theirs.digest)
    )
    return DrawnRow(
        source=printable_name(row.source),
        event=printable_name(row.event),
        detail=printable_text(row.detail),
        place=place,
        a=_counted(mine),
        b=_counted(theirs),
        same=same,
        unseeded=row.seeded == 0 and row.source in GENERATORS,
        of_import=row.detail.startswith(_IMPORT),
    )


def _counted(row: LedgerRow | None) -> str:
    if row is None:
        return ""
    times = "once" if row.calls == 1 else f"{row.calls:,} times"
    return f"{times}, {row.amount:,}" if row.amount else times


def _value(value: Any) -> str:
    return "" if value is None else printable_text(str(value))


def _settings(switches: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The leaves of a nested mapping, each with its path."""
    for name, value in switches.items():
        path = f"{before}.{name}" if before else str(name)
        if isinstance(value, Mapping):
            yield from _settings(value, path)
        elif not isinstance(value, (list, tuple)):
            yield path, value
