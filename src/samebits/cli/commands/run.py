"""`samebits run`: run a script under control, and record it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samebits.cli.options import (
    Allow,
    Exact,
    IsModule,
    Level,
    Script,
    ScriptArguments,
    checked_seed,
)
from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.diff.verdict import VerdictCode
    from samebits.check.record.run import RunResult


def run(
    script: Script,
    args: ScriptArguments = None,
    is_module: IsModule = False,
    no_control: Annotated[
        bool, typer.Option("--no-control", help="Run the script as written; only record.")
    ] = False,
    seed: Annotated[
        int, typer.Option(metavar="N", callback=checked_seed, help="Seed of every generator.")
    ] = 0,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", show_default=False, help="Threads that operations may use."
        ),
    ] = None,
    level: Annotated[
        Level | None,
        typer.Option(
            show_default=False,
            help="How finely to record; op unless given, or as the run to compare with was.",
        ),
    ] = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="RUN",
            show_default=False,
            help="Compare with this recorded run while the script runs, and stop at the first "
            "step that differs.",
        ),
    ] = None,
    keep_going: Annotated[
        bool,
        typer.Option("--keep-going", help="With --against: run to the end, whatever differs."),
    ] = False,
    exact: Exact = False,
    allow: Allow = None,
    out: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="The run folder; runs/ with the date unless given. The run is copied to a URL "
            "(s3://, sftp:// ...) when it has ended.",
        ),
    ] = "",
) -> None:
    """Run a script once, reproducibly.

    Seeds, torch's switches, the hash seed, the address layout and the number of threads are fixed.

    What it does is recorded in a run folder, for samebits diff. Input, output, signals and the
    exit code are the script's own. With --against RUN the exit code is 1 where the run differs
    from that one, and the first difference is shown; it is 4 instead of 0 where they agree and
    one of them was cut, so that the rest was not compared.

    Everything after SCRIPT belongs to the script.
    """
    from samebits.check.trace.sent_files import require_new_url
    from samebits.check.trace.urls import is_url
    from samebits.cli.exact import exact_surroundings
    from samebits.cli.folders import new_run_folder, require_local, require_new_folder
    from samebits.cli.target import resolve_target

    if keep_going and against is None:
        raise UsageError("--keep-going says what --against does", hint="add --against RUN")
    target = resolve_target(script, args or [], is_module=is_module)
    if against is not None:
        require_local(against, "the run reads it step by step, on this machine")
    elsewhere = is_url(out)
    if elsewhere:
        require_new_url(out, "--out DIR")
    folder = Path(out) if out and not elsewhere else new_run_folder()
    require_new_folder(folder, "--out DIR")

    from samebits.check.record.launcher import run_script
    from samebits.check.record.plan import RunPlan

    recorded_level = _level_of(against)
    plan = RunPlan(
        level=(level or recorded_level).value,
        against=None if against is None else str(against.resolve()),
        stops_where_different=not keep_going,
        control=not no_control,
        seed=seed,
        threads=threads,
        surroundings=exact_surroundings(exact, allow or []),
    )
    result = run_script(target, folder, plan)
    _print_summary(result, seed=None if no_control else seed)
    if elsewhere:
        _send(folder, out)
    if against is not None:
        verdict = _compared_with(against, folder)
        if verdict == "different":
            raise typer.Exit(1)
        if verdict == "incomplete" and not (result.signal or result.exit_code):
            raise typer.Exit(4)
    _end_like(result)


def _send(folder: Path, url: str) -> None:
    """Copy a run to a URL; the folder on this machine stays.

    Raises:
        UsageError: It cannot be written there.
    """
    from samebits.check.report.output_stream import write_text
    from samebits.check.report.printable import printable_text
    from samebits.check.trace.sent_files import send_folder

    send_folder(folder, url)
    write_text(f"samebits: copied to {printable_text(url)}\n", sys.stderr)


def _level_of(against: Path | None) -> Level:
    """How finely to record, where nobody said so.

    Raises:
        TraceError: The run to compare with cannot be read.
    """
    if against is None:
        return Level.OP
    from samebits.check.trace.reader import Trace

    return Level(Trace.open(against).manifest.level)


def _compared_with(against: Path, folder: Path) -> VerdictCode:
    """What a run comes to beside another one; all but "same" is shown as a panel."""
    from samebits.check.diff.divergence import compare_traces
    from samebits.check.report.verdicts import VerdictFormat
    from samebits.check.report.verdicts import show as show_as
    from samebits.check.trace.reader import Trace
    from samebits.check.trace.sources_of_runs import only_sources_of
    from samebits.check.trials.manifest_causes import with_cause_from_manifests

    a, b = Trace.open(against), Trace.open(folder)
    with only_sources_of([b.manifest, a.manifest]):
        verdict = with_cause_from_manifests(compare_traces(a, b), a, b)
        whole = verdict.verdict == "same" and not verdict.notes
        show_as(verdict, VerdictFormat.LINE if whole else VerdictFormat.TEXT, sys.stderr)
    return verdict.verdict


def _print_summary(result: RunResult, *, seed: int | None) -> None:
    """One line on standard error, and one more for each thing that a person should know."""
    from samebits.check.report.output_stream import write_text
    from samebits.check.report.printable import printable_name, printable_text
    from samebits.check.report.source import short_path
    from samebits.check.trace.manifest import Manifest
    from samebits.errors import TraceError

    how = "as written" if seed is None else f"under control with seed {seed}"
    lines = [f"recorded in {short_path(str(result.folder))}, run {how}"]
    try:
        manifest = Manifest.read(Path(result.folder) / "manifest.json")
    except TraceError as error:
        lines.append(f"its manifest cannot be read: {error.message}")
    else:
        if seed is not None:
            names = [printable_name(name) for name in switches_not_held(manifest.switches)]
            if names:
                lines[0] += f"; not held: {', '.join(names)}"
        lines += manifest.notes
        if manifest.further:
            lines += _notes_of_processes(Path(result.folder))
    if result.failure is not None:
        lines.append(f"the recording is not complete: {result.failure}")
    text = "".join(f"samebits: {printable_text(line)}\n" for line in lines)
    write_text(text, sys.stderr)


def _notes_of_processes(folder: Path) -> list[str]:
    """What a person should know of the processes that the script has started."""
    from samebits.check.diff.run_summary import process_notes
    from samebits.check.trace.reader import Trace
    from samebits.errors import TraceError

    try:
        return list(dict.fromkeys(process_notes(Trace.open(folder))))
    except TraceError as error:
        return [f"what its processes recorded cannot be read: {error.message}"]


def switches_not_held(switches: object, name: str = "") -> list[str]:
    """Names of the switches that an audit found not to hold.

    Args:
        switches: The manifest's `switches`: readings, each with `holds` true, false or null, in
            lists or by name.
        name: Name of the reading, unless it names itself.
    """
    if isinstance(switches, Mapping):
        if "holds" in switches:
            broken = switches["holds"] is False
            return [str(switches.get("name") or name)] if broken else []
        return [n for key, inner in switches.items() for n in switches_not_held(inner, str(key))]
    if isinstance(switches, list):
        return [found for inner in switches for found in switches_not_held(inner, name)]
    return []


def _end_like(result: RunResult) -> None:
    """End as the script ended: with its exit code, or by the signal that ended it."""
    if result.signal:
        _die_by(result.signal)
        raise typer.Exit(128 + result.signal)
    raise typer.Exit(result.exit_code or 0)


def _die_by(number: int) -> None:
    """Raise a signal against this process, so that a shell or a scheduler sees how it ended."""
    import contextlib
    import signal

    sys.stdout.flush()
    sys.stderr.flush()
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        # The script has left its core dump, if any; ours would only hide it.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    with contextlib.suppress(ValueError, OSError):
        if number not in (getattr(signal, "SIGKILL", 0), getattr(signal, "SIGSTOP", 0)):
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
