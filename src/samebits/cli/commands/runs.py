"""`samebits runs`: what has been recorded, and letting go of it."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samebits.cli.folders import DEFAULT_PARENT
from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.diff.verdict import Verdict
    from samebits.check.trace.reader import Trace

_UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}

runs = typer.Typer(no_args_is_help=False, rich_markup_mode="rich")

In = Annotated[
    str, typer.Option("--in", metavar="DIR", help="The folder that runs were recorded in.")
]
_PARENT = str(DEFAULT_PARENT)
_LISTED = ("manifest.json", "verdict.json")
"""Of runs at a URL, no other files are needed for a list."""


@runs.callback(invoke_without_command=True)
def default(context: typer.Context, folder: In = _PARENT) -> None:
    """List recorded runs; show, export or remove them."""
    if context.invoked_subcommand is None:
        listing(folder)
    elif folder != _PARENT:
        name = context.invoked_subcommand
        raise UsageError(
            "--in comes after the subcommand", hint=f"samebits runs {name} --in {folder}"
        )


def listing(folder: In = _PARENT) -> None:
    """List what has been recorded: date, verdict, size, commit, script; the newest last.

    DIR may be a URL (s3://, sftp:// ...).

    Exit code: 0 listed, 2 the folder cannot be read.
    """
    from samebits.check.report.runs_text import print_runs
    from samebits.check.trace.fetched_folders import fetched, folder_of
    from samebits.check.trace.recorded import recorded_in

    with fetched([folder], only=_LISTED):
        print_runs(list(recorded_in(folder_of(folder))), sys.stdout)


def show(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", show_default=False, help="The folder of a run or a check, or its URL."
        ),
    ],
) -> None:
    """Show the verdict of a check again, or the facts of a run.

    Exit code: 0 shown, 2 there is nothing to show.
    """
    from samebits.check.report.model import build_report
    from samebits.check.report.text import print_report
    from samebits.check.trace.fetched_folders import fetched
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.sources_of_runs import only_sources_of

    with fetched([run]):
        traces = [Trace.open(folder) for folder in _runs_in(run)]
        verdict = _verdict_of(run, traces)
        with only_sources_of(trace.manifest for trace in traces):
            print_report(build_report(verdict))


def _runs_in(run: str) -> tuple[Path, ...]:
    """The run folders of what a person has named.

    Raises:
        UsageError: There is none.
    """
    from samebits.check.trace.fetched_folders import folder_of
    from samebits.check.trace.recorded import runs_of

    folders = runs_of(folder_of(run))
    if not folders:
        raise UsageError(
            f"{run} is no recorded run", hint="samebits runs lists what has been recorded."
        )
    return folders


def _verdict_of(run: str, traces: Sequence[Trace]) -> Verdict:
    """The verdict that was kept, or one that says that none was."""
    from samebits.check.diff.run_summary import run_summary
    from samebits.check.diff.verdict import NotCompared, Verdict
    from samebits.check.report.verdict_file import read_verdict
    from samebits.check.trace.fetched_folders import folder_of
    from samebits.check.trace.recorded import VERDICT_FILE

    kept = folder_of(run) / VERDICT_FILE
    if kept.is_file():
        return read_verdict(kept)
    summaries = tuple(map(run_summary, traces))
    unknown = NotCompared("run", "its runs", "no verdict was kept; samebits diff makes one")
    return Verdict(verdict="incomplete", runs=summaries, not_compared=(unknown,))


def rm(
    run: Annotated[
        list[str] | None,
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
    folder: In = _PARENT,
) -> None:
    """Remove recorded runs: those that are named, or the oldest.

    A folder that also holds something that samebits has not recorded is left as it is.

    Exit code: 0 removed, 2 wrong usage, or a folder that is no recorded run.
    """
    from samebits.check.report.runs_text import size_text
    from samebits.check.report.source import short_path
    from samebits.check.trace.recorded import beyond, recorded_in, remove
    from samebits.cli.folders import require_local

    if bool(run) == (keep is not None or bool(max_size)):
        raise UsageError(
            "say what to remove: folders, or --keep N, or --max-size SIZE",
            hint="samebits runs rm --keep 20 removes all but the newest twenty.",
        )
    for place in (*(run or ()), folder):
        require_local(place, "runs are removed on this machine alone")
    chosen = [Path(place) for place in run or ()]
    if not run:
        most = None if not max_size else _bytes(max_size)
        found = recorded_in(Path(folder))
        chosen = [old.folder for old in beyond(found, keep=keep, max_size=most)]
    total = 0
    for one in chosen:
        size = remove(one, dry_run=dry_run)
        if dry_run:
            typer.echo(f"would remove {short_path(str(one))}")
            continue
        total += size
        typer.echo(f"removed {short_path(str(one))}, {size_text(size)}")
    if not chosen:
        typer.echo("nothing to remove")
    elif len(chosen) > 1 and not dry_run:
        typer.echo(f"{len(chosen)} removed, {size_text(total)}")


def export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", show_default=False, help="A recorded run folder, or its URL."
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            show_default=False,
            help="Ends in .parquet or .csv; may be a URL.",
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
    import tempfile

    from samebits.check.trace.exporting import export as write
    from samebits.check.trace.fetched_folders import fetched
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.sent_files import send_file
    from samebits.check.trace.urls import is_url
    from samebits.cli.folders import require_writable_file

    with fetched([run]):
        if is_url(out):
            with tempfile.TemporaryDirectory(prefix="samebits-") as made:
                file = Path(made, out.rpartition("/")[2])
                rows = write(Trace.open(run), table, file, rank=rank)
                send_file(file, out)
        else:
            require_writable_file(out, "-o FILE")
            rows = write(Trace.open(run), table, Path(out), rank=rank)
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
