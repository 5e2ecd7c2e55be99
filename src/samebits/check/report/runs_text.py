"""Recorded runs as a table for a terminal or a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TextIO

from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from samebits.check.report.console import print_drawn
from samebits.check.report.printable import printable_name
from samebits.check.report.source import short_path
from samebits.check.trace.fetched_folders import place_of
from samebits.check.trace.recorded import Recorded

_COLOURS = {"same": "green", "different": "red", "failed": "yellow", "incomplete": "yellow"}
_NO_LIMIT = 10_000
"""Columns, to ask how wide a table is by itself."""


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
        table = _table(found)
        natural = Measurement.get(console, console.options.update(width=_NO_LIMIT), table)
        if natural.maximum <= console.width:
            console.print(table)
        else:
            for one in found:
                _print_block(console, one)
        console.print(
            Text(f"{len(found)} in all, {size_text(sum(one.size for one in found))}"), style="dim"
        )

    print_drawn(draw, stream)


def _table(found: Sequence[Recorded]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("date", "verdict", "runs", "steps", "size", "commit", "script", "folder"):
        justify: Literal["left", "right"] = "right" if name in ("runs", "steps", "size") else "left"
        table.add_column(name, justify=justify, no_wrap=True)
    for one in found:
        table.add_row(
            _date(one),
            _verdict(one),
            str(one.runs),
            f"{one.steps:,}",
            size_text(one.size),
            printable_name(one.commit[:9]),
            short_path(one.script),
            short_path(place_of(one.folder)),
        )
    return table


def _print_block(console: Console, one: Recorded) -> None:
    """What does not fit into a table: the folder whole on its own line, to be copied."""
    line = Text(f"{_date(one)}  ").append_text(_verdict(one)).append(f"  {size_text(one.size)}")
    console.print(line)
    console.print(Text(f"  {short_path(one.script)}"), soft_wrap=True)
    console.print(Text(f"  {short_path(place_of(one.folder))}"), soft_wrap=True)


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
