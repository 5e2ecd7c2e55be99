"""`samebits ledger`: who drew random numbers, or read what may differ, and at which line?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.rows import LedgerRow


def ledger(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", show_default=False, help="A recorded run folder, or its URL."
        ),
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
    process: Annotated[
        str,
        typer.Option(
            "--process",
            metavar="NAME",
            show_default=False,
            help='Show one process alone: "rank 1"; "script" for the script\'s own.',
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
    the line of the script behind it. Of a run of several processes each recorded one is shown, the
    script's own first.

    Exit code: 0 shown, 2 wrong usage or a folder that cannot be read.
    """
    from samebits.check.diff.all_processes import all_processes
    from samebits.check.report.json import STDOUT, write_document
    from samebits.check.report.ledger import ledger_lines
    from samebits.check.report.ledger_json import render_ledger_json
    from samebits.check.report.ledger_text import print_ledgers
    from samebits.check.trace.fetched_folders import fetched
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.sources_of_runs import only_sources_of
    from samebits.cli.folders import require_writable_file

    wanted = _wanted(source)
    if json_file and json_file != STDOUT:
        require_writable_file(json_file, "--json FILE")
    with fetched([run]):
        trace = Trace.open(run)
        ledgers = {
            name: [row for row in rows if not wanted or row.source in wanted]
            for name, rows in _chosen(trace, process).items()
        }
        if json_file:
            write_document(render_ledger_json(run, ledgers), json_file)
        if json_file == STDOUT:
            return
        shown = {
            name: [row for row in rows if everything or not row.detail.startswith("import ")]
            for name, rows in ledgers.items()
        }
        left_out = any(len(shown[name]) < len(rows) for name, rows in ledgers.items())
        with only_sources_of(own.manifest for _, own in all_processes(trace, threads=False)):
            lines = {name: ledger_lines(rows) for name, rows in shown.items()}
            print_ledgers(lines, left_out, sys.stdout)


def _chosen(trace: Trace, process: str) -> dict[str, list[LedgerRow]]:
    """The ledgers of a run's processes, by what they are called; of one of them where asked for.

    Raises:
        UsageError: There is no such process.
    """
    from samebits.check.diff.all_processes import all_processes
    from samebits.core.names import printable

    found = dict(all_processes(trace, threads=False))
    if process in ("", "script"):
        names = list(found) if process == "" else [""]
    elif process in found:
        names = [process]
    else:
        known = ["script", *list(found)[1:17]]
        raise UsageError(
            f"no process of this run is called {printable(process, 80)!r}",
            hint=f"choose from {', '.join(known)}",
        )
    return {name: found[name].ledger() for name in names}


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
