"""An audit as text: what CUDA would say, and which switches are open."""

from __future__ import annotations

import sys
from functools import partial
from typing import TextIO

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from samebits.check.report.console import print_drawn
from samebits.check.report.cuda_outlook import outlook_view
from samebits.check.report.printable import printable_text
from samebits.check.report.source import short_path
from samebits.check.trials.audit import ScriptAudit

_MOST_PROCESSES = 16


def print_audit(audit: ScriptAudit, stream: TextIO) -> None:
    """Print an audit."""
    print_drawn(partial(_draw, audit), stream)


def _draw(audit: ScriptAudit, console: Console) -> None:
    ops = audit.ops + sum(one.ops for one in audit.processes)
    # Steps of ranks are taken together: they do not add up.
    steps = max([audit.steps, *(one.steps for one in audit.processes)])
    recorded = f"{ops:,} operations in {steps:,} steps were recorded"
    console.print(Text(f"{recorded}, in {short_path(str(audit.result.folder))}."))
    if audit.processes:
        _say(console, f"the script's own process: {audit.ops:,} operations, {audit.steps:,} steps")
    for one in audit.processes[:_MOST_PROCESSES]:
        name = printable_text(one.name)
        _say(console, f"{name}: {one.ops:,} operations, {one.steps:,} steps")
    more = len(audit.processes) - _MOST_PROCESSES
    if more > 0:
        _say(console, f"and {more} more, in the JSON")
    console.print()
    view = outlook_view(audit.outlook, shown=sys.maxsize)
    console.print(Text("On CUDA, under deterministic algorithms", style="bold"))
    if view is None:
        _say(console, "No recorded operation is in the catalog: nothing raises, nothing switches.")
    else:
        _say(console, f"{view.headline}.")
        for row in view.rows:
            console.print()
            _say(console, f"{row.op}  {row.places}".rstrip(), style="bold red")
            _say(console, row.instead, columns=4)
        if view.switches:
            console.print()
            _say(console, f"{view.switches}.")
    if audit.open_switches:
        console.print()
        console.print(Text("Switches that do not hold at the end of the run", style="bold"))
        for reading in audit.open_switches:
            _say(console, printable_text(str(reading.get("setting") or reading.get("name"))))
        remedy = (
            "samebits run sets them; samebits.deterministic() those that can still be set once "
            "Python runs."
        )
        _say(console, remedy, style="dim")
    for note in audit.notes:
        console.print()
        _say(console, printable_text(note), columns=0)


def _say(console: Console, text: str, *, columns: int = 2, style: str = "") -> None:
    body = Text(text, style=style, overflow="fold")
    console.print(Padding(body, (0, 0, 0, columns), expand=False))
