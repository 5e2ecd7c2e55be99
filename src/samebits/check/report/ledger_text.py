"""A run's ledger as a table for a terminal or a log."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from samebits.check.report.console import print_drawn
from samebits.check.report.ledger import LedgerLine
from samebits.check.report.printable import printable_text

_COLUMNS = (
    ("source", "left"),
    ("event", "left"),
    ("calls", "right"),
    ("amount", "right"),
    ("seeded", "left"),
    ("where", "left"),
)
_PARTS = re.compile(r"(?<=[./ ])")


def print_ledgers(
    ledgers: Mapping[str, Sequence[LedgerLine]], left_out: bool, stream: TextIO
) -> None:
    """Print the ledgers of a run.

    Args:
        ledgers: What a process is called, "" for the script's own → the rows of its ledger.
        left_out: Whether rows that libraries made while they were imported are not among them.
        stream: Where to.
    """

    def draw(console: Console) -> None:
        shown = {name: lines for name, lines in ledgers.items() if lines}
        for name, lines in shown.items():
            if name:
                console.print()
                console.print(Text(printable_text(name), style="bold"))
            console.print(_table(lines))
        if not shown:
            console.print("The ledger is empty.")
        if left_out:
            console.print(
                Text("Activity of libraries during their import is not shown; see --all."),
                style="dim",
            )

    print_drawn(draw, stream)


def _table(lines: Sequence[LedgerLine]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, side in _COLUMNS:
        table.add_column(name, justify="right" if side == "right" else "left", overflow="fold")
    quoted = ""
    for line in lines:
        # What one line of code did stands in rows next to each other: it is quoted once.
        where = _Where(line, quotes=line.place != quoted)
        quoted = line.place
        seeded = Text(line.seeded, style="yellow" if line.unseeded else "")
        table.add_row(line.source, line.event, line.calls, line.amount, seeded, where)
    return table


class _Where:
    """Place, function and quoted line of a row; long names are broken after their dots.

    Args:
        line: The row.
        quotes: Whether to quote the line of code.
    """

    def __init__(self, line: LedgerLine, *, quotes: bool) -> None:
        self._line = line
        self._quotes = quotes

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self._text(options.max_width))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._text(options.max_width)

    def _text(self, width: int) -> Text:
        line = self._line
        text = Text(line.place, style="bold", overflow="fold")
        if line.detail and line.detail != line.code:
            together = len(line.place) + 2 + len(line.detail) <= width
            between = ("  " if together else "\n") if line.place else ""
            text.append(between + "\n".join(_broken(line.detail, width)), style="not bold")
        if line.code and self._quotes:
            text.append(f"\n{line.code}", style="not bold dim")
        return text


def _broken(name: str, width: int) -> list[str]:
    """A name in lines that are no wider than that, as far as its dots, slashes and blanks allow."""
    lines = [""]
    for part in _PARTS.split(name):
        if lines[-1] and len(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return lines
