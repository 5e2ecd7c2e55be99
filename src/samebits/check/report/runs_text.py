"""Recorded runs as a table for a terminal or a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from samebits.check.report.console import print_drawn
from samebits.check.report.printable import printable_name
from samebits.check.report.source import short_path
from samebits.check.trace.fetched_folders import place_of
from samebits.check.trace.recorded import Recorded

_ANY_WIDTH = 100_000

_COLOURS = {"same": "green", "different": "red", "failed": "yellow", "incomplete": "yellow"}


def print_runs(found: Sequence[Recorded], stream: TextIO) -> None:
    """Print what has been recorded, the newest last.

    Args:
        found: The rows.
        stream: Where to.
    """

    def draw(console: Console) -> None:
        if not found:
            console.print("Nothing has been recorded here.")
            return
        tables = (_table(found, wide=wide) for wide in (True, False))
        table = next((one for one in tables if _width(one, console) <= console.width), None)
        if table is not None:
            console.print(table)
        else:
            for one in found:
                _block(one, console)
        console.print(
            Text(f"{len(found)} in all, {size_text(sum(one.size for one in found))}"), style="dim"
        )

    print_drawn(draw, stream)


def _table(found: Sequence[Recorded], *, wide: bool) -> Table:
    """A row for each; a wide one has the commit and the number of steps, too."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("date", no_wrap=True)
    table.add_column("verdict")
    for name in ("runs", "steps") if wide else ():
        table.add_column(name, justify="right")
    table.add_column("size", justify="right", no_wrap=True)
    if wide:
        table.add_column("commit")
    table.add_column("script", overflow="fold")
    table.add_column("folder", overflow="fold")
    for one in found:
        cells: list[str | Text] = [_date(one), _verdict(one)]
        cells += [str(one.runs), f"{one.steps:,}"] if wide else []
        cells.append(size_text(one.size))
        cells += [printable_name(one.commit[:9])] if wide else []
        table.add_row(*cells, short_path(one.script), short_path(place_of(one.folder)))
    return table


def _width(table: Table, console: Console) -> int:
    """Columns that a table takes when nothing in it is folded."""
    return Measurement.get(console, console.options.update(width=_ANY_WIDTH), table).maximum


def _block(one: Recorded, console: Console) -> None:
    """A few lines for one: nobody reads a table of folded cells, or copies a folded path."""
    line = Text(f"{_date(one)}  ")
    line.append(_verdict(one))
    line.append(f"  {size_text(one.size)}")
    console.print(line)
    for text in (short_path(one.script), short_path(place_of(one.folder))):
        console.print(Text(f"  {text}"), soft_wrap=True)


def _date(one: Recorded) -> str:
    return printable_name(one.created[:16].replace("T", " "))


def _verdict(one: Recorded) -> Text:
    return Text(one.verdict or "-", style=_COLOURS.get(one.verdict, ""))


def size_text(size: int) -> str:
    """A number of bytes as a person reads it: "3.4 MB"."""
    value = float(size)
    for unit in ("B", "kB", "MB", "GB"):
        if value < 1000:
            return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"
        value /= 1000
    return f"{value:.1f} TB"
