"""`samebits runs`: what has been recorded, and letting go of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from samebits.cli.folders import DEFAULT_PARENT
from samebits.errors import UsageError

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

runs = typer.Typer(no_args_is_help=False, rich_markup_mode="rich")

In = Annotated[
    Path, typer.Option("--in", metavar="DIR", help="The folder that runs were recorded in.")
]


@runs.callback(invoke_without_command=True)
def default(context: typer.Context, folder: In = DEFAULT_PARENT) -> None:
    """List recorded runs; show, export or remove them."""
    if context.invoked_subcommand is None:
        listing(folder)
    elif folder != DEFAULT_PARENT:
        name = context.invoked_subcommand
        raise UsageError(
            "--in comes after the subcommand", hint=f"samebits runs {name} --in {folder}"
        )


def listing(folder: In = DEFAULT_PARENT) -> None:
    """List what has been recorded: date, verdict, size, commit, script; the newest last.

    Exit code: 0 listed, 2 the folder cannot be read.
    """
    from samebits.check.report.runs_text import print_runs
    from samebits.check.trace.recorded import recorded_in

    print_runs(list(recorded_in(folder)), sys.stdout)


def show(
    run: Annotated[
        Path,
        typer.Argument(metavar="RUN", show_default=False, help="The folder of a run or a check."),
    ],
) -> None:
    """Show the verdict of a check again, or the facts of a run.

    Exit code: 0 shown, 2 there is nothing to show.
    """
    from samebits.check.diff.run_summary import run_summary
    from samebits.check.diff.verdict import NotCompared, Verdict
    from samebits.check.report.model import build_report
    from samebits.check.report.text import print_report
    from samebits.check.report.verdict_file import read_verdict
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.recorded import VERDICT_FILE, runs_of
    from samebits.check.trace.sources_of_runs import only_sources_of

    folders = runs_of(run)
    if not folders:
        raise UsageError(
            f"{run} is no recorded run", hint="samebits runs lists what has been recorded."
        )
    traces = [Trace.open(folder) for folder in folders]
    if (run / VERDICT_FILE).is_file():
        verdict = read_verdict(run / VERDICT_FILE)
    else:
        summaries = tuple(map(run_summary, traces))
        unknown = NotCompared("run", "its runs", "no verdict was kept; samebits diff makes one")
        verdict = Verdict(verdict="incomplete", runs=summaries, not_compared=(unknown,))
    with only_sources_of(trace.manifest for trace in traces):
        print_report(build_report(verdict))


def rm(
    run: Annotated[
        list[Path] | None,
        typer.Argument(metavar="RUN...", show_default=False, help="Folders of runs or checks."),
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", show_default=False, help="Remove all but the newest N."),
    ] = None,
    max_size: Annotated[
        str,
        typer.Option(
            metavar="SIZE",
            show_default=False,
            help="Remove the oldest until the others have no more than this, such as 500M or 2G.",
        ),
    ] = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would be removed, and remove nothing.")
    ] = False,
    folder: In = DEFAULT_PARENT,
) -> None:
    """Remove recorded runs: those that are named, or the oldest.

    A folder that also holds something that samebits has not recorded is left as it is.

    Exit code: 0 removed, 2 wrong usage, or a folder that is no recorded run.
    """
    from samebits.check.report.runs_text import size_text
    from samebits.check.report.source import short_path
    from samebits.check.trace.recorded import beyond, recorded_in, remove

    if bool(run) == (keep is not None or bool(max_size)):
        raise UsageError(
            "say what to remove: folders, or --keep N, or --max-size SIZE",
            hint="samebits runs rm --keep 20 removes all but the newest twenty.",
        )
    chosen = list(run or ())
    if not run:
        most = None if not max_size else _bytes(max_size)
        chosen = [one.folder for one in beyond(recorded_in(folder), keep=keep, max_size=most)]
    total = 0
    for place in chosen:
        size = remove(place, dry_run=dry_run)
        if dry_run:
            typer.echo(f"would remove {short_path(str(place))}")
            continue
        total += size
        typer.echo(f"removed {short_path(str(place))}, {size_text(size)}")
    if not chosen:
        typer.echo("nothing to remove")
    elif len(chosen) > 1 and not dry_run:
        typer.echo(f"{len(chosen)} removed, {size_text(total)}")


def export(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", show_default=False, help="A recorded run folder.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="FILE", show_default=False, help="Ends in .parquet or .csv."
        ),
    ],
    table: Annotated[
        str, typer.Option(metavar="NAME", help="Which rows: ops, steps or ledger.")
    ] = "ops",
    rank: Annotated[int, typer.Option(min=0, metavar="R", help="Whose rows.")] = 0,
) -> None:
    """Write the rows of a run for other programs, with names in place of codes.

    Exit code: 0 written, 2 wrong usage, or a folder that cannot be read.
    """
    from samebits.check.trace.exporting import export as write
    from samebits.check.trace.reader import Trace
    from samebits.cli.folders import require_writable_file

    require_writable_file(str(out), "-o FILE")
    rows = write(Trace.open(run), table, out, rank=rank)
    typer.echo(f"{out}: {rows:,} rows")


COMMANDS: dict[str, Callable[..., None]] = {
    "list": listing,
    "show": show,
    "rm": rm,
    "export": export,
}


def _bytes(text: str) -> int:
    """A size as people write it: 500M, 2G, 1.5GB.

    Raises:
        UsageError: It is none.
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([kMGT]?)B?", text.strip())
    if found is None:
        raise UsageError(f"--max-size {text!r} is no size", hint="Write it as 500M, or 2G.")
    return int(float(found[1]) * _UNITS[found[2]])
