"""`samebits check`: is this script reproducible?"""

from __future__ import annotations

import math
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from samebits.check.causes import VARIATION_NAMES
from samebits.check.report.verdicts import VerdictFormat
from samebits.cli.options import (
    AcceptIncomplete,
    Allow,
    Exact,
    HtmlFile,
    IgnoreOutput,
    IsModule,
    JsonFile,
    Level,
    OutputFormat,
    Quiet,
    Script,
    ScriptArguments,
    checked_seed,
    compiled_patterns,
)
from samebits.errors import UsageError

if TYPE_CHECKING:
    from samebits.check.trials.variation_request import VariationRequest


def check(
    script: Script,
    args: ScriptArguments = None,
    is_module: IsModule = False,
    runs: Annotated[int, typer.Option(min=2, metavar="N", help="How many runs to compare.")] = 2,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", show_default=False, help="Stop each run after N optimizer steps."
        ),
    ] = None,
    level: Annotated[
        Level,
        typer.Option(
            help="How much detail to record; 'auto' looks closer only where the runs diverge."
        ),
    ] = Level.AUTO,
    json_file: JsonFile = "",
    html_file: HtmlFile = "",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="Folder for the run folders; runs/ with the date unless given. Runs that it "
            "already contains are reused if code, arguments, files and environment are "
            "unchanged.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="S", show_default=False, help="End a run after S seconds."),
    ] = None,
    control: Annotated[
        bool,
        typer.Option(
            "--control", help="Run reproducibly, as samebits run does, instead of unmodified."
        ),
    ] = False,
    seed: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            callback=checked_seed,
            show_default=False,
            help="Seed of the controlled runs, 0 unless given; implies --control.",
        ),
    ] = None,
    attribute: Annotated[
        bool,
        typer.Option(
            "--attribute/--no-attribute",
            help="If the runs diverge, make further runs to identify the cause.",
        ),
    ] = True,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            metavar="N|TIME",
            show_default=False,
            help="Limit for the search for the cause: a number of further runs (24 unless given), "
            "or a time such as 90s or 5m (five times a run, or two minutes where that is "
            "more, unless given). When it is reached, the findings so far are shown.",
        ),
    ] = None,
    explain: Annotated[
        bool,
        typer.Option(
            "--explain",
            help="If an operation differs, make up to five further runs that keep its values and "
            "the state of training: which elements differ, by how much, and how it grows.",
        ),
    ] = False,
    fresh: Annotated[
        bool,
        typer.Option("--fresh", help="Ignore earlier runs in the folder and make every run again."),
    ] = False,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAMES",
            show_default=False,
            help="Change one thing at a time around the script and compare: 'all', or names with "
            f"commas between them, of {', '.join(VARIATION_NAMES)}.",
        ),
    ] = None,
    dont_vary: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", show_default=False, help="Leave these out of --vary all."),
    ] = None,
    batch_flag: Annotated[
        str | None,
        typer.Option(
            metavar="FLAG[=VALUES]",
            show_default=False,
            help="The script's own option for the batch size, for --vary batch; if values are "
            "given, each gets one run.",
        ),
    ] = None,
    kill_at_step: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            show_default=False,
            help="Prove that the script resumes: run it straight, then killed by SIGKILL after N "
            "optimizer steps and resumed, and compare. All its processes are killed.",
        ),
    ] = None,
    kill_rank: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="R",
            show_default=False,
            help="Kill the process of this rank alone. Goes with --kill-at-step; --timeout ends "
            "ranks that wait for it.",
        ),
    ] = None,
    resume: Annotated[
        str,
        typer.Option(
            metavar="COMMAND",
            show_default=False,
            help="What resumes the script, such as 'train.py --resume'; the same command unless "
            "given. Goes with --kill-at-step.",
        ),
    ] = "",
    accept_incomplete: AcceptIncomplete = False,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Exit with 1, too, where the ranks of a run are found to disagree, or to share "
            "random numbers or samples.",
        ),
    ] = False,
    ignore_output: IgnoreOutput = None,
    exact: Exact = False,
    allow: Allow = None,
    output_format: OutputFormat = VerdictFormat.TEXT,
    quiet: Quiet = False,
) -> None:
    """Run a script twice and compare every bit: is it reproducible?

    The script runs in fresh processes, as it is written, while every tensor operation is recorded.
    If the runs diverge, further runs pin one thing at a time; the first operation that differs,
    the cause, its line in the script and the fix are shown.

    Everything after SCRIPT belongs to the script. Exit code: 0 same, 1 different, 2 wrong usage,
    3 the script failed on its own, 4 incomplete: what was compared agrees, and the first line names
    what was not.
    """
    from samebits.check.report.json import STDOUT
    from samebits.cli.budget import parsed_budget
    from samebits.cli.exact import exact_surroundings
    from samebits.cli.folders import new_run_folder, require_run_folders, require_writable_file
    from samebits.cli.preliminary import EarlyWord
    from samebits.cli.target import require_valid_syntax, resolve_target

    if timeout is not None and not (timeout > 0 and math.isfinite(timeout)):
        raise UsageError(f"--timeout must be a number of seconds above 0, not {timeout:g}")
    limits = parsed_budget(budget or [], attribute=attribute)
    ignored = compiled_patterns(ignore_output)
    request = _variation_request(vary or [], dont_vary or [], batch_flag)
    target = resolve_target(script, args or [], is_module=is_module)
    if target.script is not None:
        require_valid_syntax(target.script)
    if json_file and json_file != STDOUT:
        require_writable_file(json_file, "--json FILE")
    if html_file:
        require_writable_file(html_file, "--html FILE")
    if resume and kill_at_step is None:
        raise UsageError("--resume says what resumes the script", hint="add --kill-at-step N")
    if kill_rank is not None and kill_at_step is None:
        raise UsageError("--kill-rank says which rank is killed", hint="add --kill-at-step N")
    folder = new_run_folder() if out is None else out
    require_run_folders(folder, "--out DIR")

    from samebits.check.diff.printed_text import ignoring
    from samebits.check.record.plan import RunPlan
    from samebits.check.report.source import short_path
    from samebits.check.trials.experiment import check as run_and_compare
    from samebits.cli.outcome import exit_code, forget_verdict, keep_verdict, show_verdict
    from samebits.cli.progress import show_progress

    show = partial(
        show_verdict,
        json_file=json_file,
        html_file=html_file,
        quiet=quiet,
        written_as=output_format,
    )
    plan = RunPlan(
        level=level.value,
        steps=steps,
        timeout=timeout,
        control=control or seed is not None,
        seed=seed or 0,
        capture_output=True,
        surroundings=exact_surroundings(exact, allow or []),
    )
    if kill_at_step is not None:
        from samebits.cli.resume_check import check_resume

        if request.names or runs != 2 or steps is not None:
            raise UsageError(
                "--kill-at-step makes three runs of its own",
                hint="leave --runs, --steps and --vary away",
            )
        with ignoring(ignored):
            verdict = check_resume(
                target,
                resume,
                kill_at_step=kill_at_step,
                kill_rank=kill_rank,
                plan=plan,
                out=folder,
                quiet=quiet,
            )
        keep_verdict(verdict, folder)
        show(verdict)
        raise typer.Exit(exit_code(verdict, accept_incomplete=accept_incomplete))
    forget_verdict(folder)
    early = EarlyWord(limits, None, json_file)
    try:
        with show_progress(quiet=quiet) as on_progress, ignoring(ignored):
            early.say = None if on_progress is None else on_progress.say
            verdict = run_and_compare(
                target,
                runs=runs,
                plan=plan,
                out=folder,
                on_progress=on_progress,
                on_verdict=early,
                on_text=early.of_text,
                limits=limits,
                reuse=not fresh,
                vary=request,
                explain_values=explain,
            )
    except (KeyboardInterrupt, SystemExit):
        if early.known is not None:
            show_verdict(
                early.interrupted, json_file=json_file, quiet=quiet, written_as=output_format
            )
        shown = short_path(str(folder))
        print(
            f"samebits: the recorded runs are kept in {shown}; run again with --out {shown} to "
            "continue",
            file=sys.stderr,
        )
        raise
    keep_verdict(verdict, folder)
    show(verdict)
    raise typer.Exit(exit_code(verdict, accept_incomplete=accept_incomplete, strict=strict))


def _variation_request(
    vary: list[str], dont_vary: list[str], batch_flag: str | None
) -> VariationRequest:
    """What to vary, as a person wrote it; refused before anything is run."""
    from samebits.check.trials.variation_request import VariationRequest

    names = _names(vary, "--vary")
    if dont_vary and not names:
        raise UsageError("--dont-vary leaves something out of --vary", hint="add --vary all")
    if batch_flag is not None and not names:
        names = ("batch",)
    request = VariationRequest(
        names=names, leave_out=_names(dont_vary, "--dont-vary"), batch_flag=batch_flag
    )
    request.chosen()
    return request


def _names(given: list[str], option: str) -> tuple[str, ...]:
    names = tuple(name.strip() for one in given for name in one.split(","))
    if "" in names:
        raise UsageError(
            f"{option} has an empty name in '{' '.join(given)}'",
            hint="write names with one comma between them: listing,threads",
        )
    return names
