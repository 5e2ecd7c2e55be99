"""`samebits audit`: what will break on the GPU, and what is not held still?"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from samebits.cli.options import IsModule, JsonFile, Level, Quiet, Script, ScriptArguments
from samebits.errors import UsageError

EXIT_RAISES = 1
EXIT_SCRIPT_FAILED = 3


def audit(
    script: Script,
    args: ScriptArguments = None,
    is_module: IsModule = False,
    steps: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", show_default=False, help="Stop the run after N optimizer steps."
        ),
    ] = None,
    level: Annotated[
        Level, typer.Option(help="'op' sees every operation, 'auto' those of the first step.")
    ] = Level.OP,
    json_file: JsonFile = "",
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            show_default=False,
            help="The run folder; runs/ with the date unless given.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            min=0.001, metavar="S", show_default=False, help="End the run after S seconds."
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Run a script once and say which of its operations raise on CUDA, and which switches are open.

    The script runs as it is written, on whatever device there is. Every recorded operation, forward
    and backward, is looked up in the catalog of operations; conditions on dtypes, shapes and
    arguments are checked against the recording.

    Everything after SCRIPT belongs to the script. Exit code: 0 nothing raises, 1 something does, 2
    wrong usage, 3 the script failed on its own.
    """
    from samebits.check.report.json import STDOUT
    from samebits.cli.folders import new_run_folder, require_new_folder, require_writable_file
    from samebits.cli.target import require_valid_syntax, resolve_target

    target = resolve_target(script, args or [], is_module=is_module)
    if target.script is not None:
        require_valid_syntax(target.script)
    if level is Level.STEP:
        raise UsageError(
            "at level step no operation is recorded", hint="Use --level op, auto or module."
        )
    if json_file and json_file != STDOUT:
        require_writable_file(json_file, "--json FILE")
    folder = new_run_folder() if out is None else out
    require_new_folder(folder, "--out DIR")

    from samebits.check.record.plan import RunPlan
    from samebits.check.report.audit_text import print_audit
    from samebits.check.report.output_stream import write_text
    from samebits.check.trials.audit import audit_script
    from samebits.cli.progress import show_progress

    plan = RunPlan(level=level.value, steps=steps, timeout=timeout, capture_output=True)
    with show_progress(quiet=quiet) as on_progress:
        found = audit_script(
            target,
            folder,
            plan,
            None if on_progress is None else lambda now: on_progress("run 1 of 1", now),
        )
    text = json.dumps(found.to_json(), indent=1) + "\n"
    if json_file == STDOUT:
        write_text(text, sys.stdout)
    elif json_file:
        Path(json_file).write_text(text, encoding="ascii")
    if found.failed:
        from samebits.check.report.printable import printable_lines

        lines = [
            "samebits: the script failed",
            *printable_lines(found.result.stderr_tail)[-8:],
        ]
        write_text("\n".join(lines) + "\n", sys.stderr)
        raise typer.Exit(EXIT_SCRIPT_FAILED)
    stream = sys.stderr if json_file == STDOUT else sys.stdout
    if quiet:
        raising = sum(entry["status"] == "raises" for entry in found.outlook)
        write_text(f"{raising} operations raise on CUDA\n", stream)
    else:
        print_audit(found, stream)
    raise typer.Exit(EXIT_RAISES if found.raises else 0)
