"""`samebits ledger`: who drew random numbers, or read what may differ, and at which line?"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from samebits.errors import UsageError


def ledger(
    run: Annotated[
        str, typer.Argument(metavar="RUN", show_default=False, help="A recorded run folder.")
    ],
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="NAME,NAME...",
            show_default=False,
            help="Show these sources alone: python, torch-cpu, clock, listing ...",
        ),
    ] = "",
    everything: Annotated[
        bool,
        typer.Option("--all", help="Show what libraries did while they were imported, too."),
    ] = False,
    json_file: Annotated[
        str,
        typer.Option(
            "--json",
            metavar="FILE",
            show_default=False,
            help="Write all rows to a file as JSON; - is standard output.",
        ),
    ] = "",
) -> None:
    """Show the random draws, listings and reads of a run that can differ, by line of the script.

    Each row names the source (a generator, a clock, a folder's listing ...), what was done with it,
    how often, how many numbers or bytes that were, whether the generator had been given a seed, and
    the line of the script behind it.

    Exit code: 0 shown, 2 wrong usage or a folder that cannot be read.
    """
    from samebits.check.report.json import STDOUT, write_document
    from samebits.check.report.ledger import ledger_lines
    from samebits.check.report.ledger_json import render_ledger_json
    from samebits.check.report.ledger_text import print_ledger
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.sources_of_runs import only_sources_of
    from samebits.cli.folders import require_writable_file

    wanted = _wanted(source)
    if json_file and json_file != STDOUT:
        require_writable_file(json_file, "--json FILE")
    trace = Trace.open(run)
    rows = [row for row in trace.ledger() if not wanted or row.source in wanted]
    if json_file:
        write_document(render_ledger_json(run, rows), json_file)
    if json_file == STDOUT:
        return
    shown = rows if everything else [row for row in rows if not row.detail.startswith("import ")]
    with only_sources_of(trace.rank_manifest(rank) for rank in trace.ranks):
        print_ledger(ledger_lines(shown), len(shown) < len(rows), sys.stdout)


def _wanted(text: str) -> frozenset[str]:
    """The sources that were asked for by name; none for all.

    Raises:
        UsageError: There is no such source.
    """
    from samebits.check.trace.schema import LEDGER_SOURCES

    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in LEDGER_SOURCES:
            raise UsageError(
                f"{name!r} is no source of the ledger",
                hint=f"choose from {', '.join(LEDGER_SOURCES)}",
            )
    return frozenset(names)
