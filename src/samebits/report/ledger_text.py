"""A run's ledger as a table for a terminal or a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from samebits.report.console import print_drawn
from samebits.report.ledger import LedgerLine

_COLUMNS = (
    ("source", "left"),
    ("event", "left"),
    ("calls", "right"),
    ("amount", "right"),
    ("seeded", "left"),
    ("where", "left"),
)


def print_ledger(lines: Sequence[LedgerLine], left_out: bool, stream: TextIO) -> None:
    """Print a ledger.

    Args:
        lines: Its rows.
        left_out: Whether rows that libraries made while they were imported are not among them.
        stream: Where to.
    """

    def draw(console: Console) -> None:
        if lines:
            console.print(_table(lines))
        else:
            console.print("The ledger is empty.")
        if left_out:
            console.print(
                Text("What libraries did while they were imported is left out; see --all."),
                style="dim",
            )

    print_drawn(draw, stream)


def _table(lines: Sequence[LedgerLine]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, side in _COLUMNS:
        table.add_column(name, justify="right" if side == "right" else "left", overflow="fold")
    quoted = ""
    for line in lines:
        where = Text(line.place, style="bold", overflow="fold")
        if line.detail and line.detail != line.code:
            where.append(f"  {line.detail}" if line.place else line.detail, style="not bold")
        # What one line of code did stands in rows next to each other: it is quoted once.
        if line.code and line.place != quoted:
            where.append(f"\n{line.code}", style="not bold dim")
        quoted = line.place
        seeded = Text(line.seeded, style="yellow" if line.unseeded else "")
        table.add_row(line.source, line.event, line.calls, line.amount, seeded, where)
    return table
