"""The ledger, ready to print: one run's as rows of a table, two runs' where they diverge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from samebits.check.report.printable import printable_name, printable_text
from samebits.check.report.source import place_text, quote
from samebits.check.trace.rows import LedgerRow

MOST_DIFFERENCES = 6
"""Differences of two ledgers that a panel shows; the verdict file has all."""

_SEEDED = {0: "no", 1: "yes"}
_GENERATORS = frozenset(
    ("python", "numpy", "numpy-generator", "torch-cpu", "torch-cuda", "torch-generator")
)


@dataclass(frozen=True, kw_only=True)
class LedgerLine:
    """One row of a ledger; every field is ready to print.

    Attributes:
        source: "torch-cpu".
        event: "draw".
        detail: "torch.rand"; of a worker's row with the worker's number.
        place: "train.py:12", or "" where no user line led there.
        code: The line, where the file is readable here.
        calls: "1,000".
        amount: "64,000", or "" where it is not known.
        seeded: "yes", "no" or "".
        unseeded: True for what no seed holds: it is worth a second look.
    """

    source: str
    event: str
    detail: str
    place: str
    code: str
    calls: str
    amount: str
    seeded: str
    unseeded: bool


def ledger_lines(rows: Sequence[LedgerRow]) -> tuple[LedgerLine, ...]:
    """The rows of a run's ledger, quoted lines read from disk where they can be."""
    return tuple(_line(row) for row in rows)


def difference_lines(entries: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Where two ledgers diverge, one sentence each, the first few of them."""
    lines = [_sentence(entry) for entry in entries[:MOST_DIFFERENCES]]
    more = len(entries) - len(lines)
    if more > 0:
        lines.append(f"and {more} more, in the verdict file")
    return tuple(lines)


def _sentence(entry: Mapping[str, Any]) -> str:
    text = printable_text(str(entry["what"]))
    if entry.get("file") and entry.get("line"):
        text += f" at {place_text(str(entry['file']), entry['line'])}"
    detail = printable_name(str(entry["detail"]), 100)
    return f"{text} ({detail})" if detail and detail not in text else text


def _line(row: LedgerRow) -> LedgerLine:
    place, code = "", ""
    if row.site is not None:
        place = place_text(row.site.file, row.site.line)
        quoted = quote(row.site.file, row.site.line, around=0)
        code = quoted.lines[0][1].strip() if quoted is not None else ""
    detail = printable_name(row.detail)
    if row.worker >= 0:
        detail = f"{detail} (worker {row.worker})"
    elif row.process > 0:
        detail = f"{detail} (process {row.process})"
    seeded = _SEEDED.get(row.seeded, "") if row.source in _GENERATORS else ""
    return LedgerLine(
        source=printable_name(row.source),
        event=printable_name(row.event),
        detail=detail,
        place=place,
        code=code,
        calls=f"{row.calls:,}",
        amount=f"{row.amount:,}" if row.amount else "",
        seeded=seeded,
        unseeded=seeded == "no",
    )
