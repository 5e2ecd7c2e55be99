"""`samebits cost`: what would determinism cost this script?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from samebits.cli.options import IsModule, Script, ScriptArguments
from samebits.errors import RecordError

if TYPE_CHECKING:
    from samebits.check.record.cost import CostSamples
    from samebits.check.record.run import RunResult
    from samebits.check.trials.cost import MeasuredCost

EXIT_SCRIPT_FAILED = 3


def cost(
    script: Script,
    args: ScriptArguments = None,
    is_module: IsModule = False,
    steps: Annotated[
        int, typer.Option(min=2, metavar="N", help="Steps of each kind to time.")
    ] = 20,
    exact: Annotated[
        bool, typer.Option("--exact/--no-exact", help="Time samebits.exact() as well.")
    ] = True,
    json_file: Annotated[
        str,
        typer.Option("--json", metavar="FILE", show_default=False, help="Write JSON; '-' prints."),
    ] = "",
    timeout: Annotated[
        float | None,
        typer.Option(metavar="S", show_default=False, help="End the run after S seconds."),
    ] = None,
) -> None:
    """Time the script's own steps plain, with deterministic algorithms and exact, in turn.

    The script runs once, and stops when enough steps are timed: its own, or those of each rank or
    process that it starts, where the slowest counts in each step. Steps alternate between three
    modes (unmodified; with samebits.deterministic(), precision left alone; inside
    samebits.exact()), so that all are measured under the same machine load. Then a few more steps
    are timed operation by operation. A script that exact arithmetic does not cover, or that makes
    too few steps for three kinds, runs once more without it.

    Everything after SCRIPT belongs to the script. Exit code: 0 measured, 2 wrong usage or too few
    steps, 3 the script failed on its own.
    """
    from samebits.cli.folders import require_writable_file
    from samebits.cli.target import require_valid_syntax, resolve_target

    target = resolve_target(script, args or [], is_module=is_module)
    if target.script is not None:
        require_valid_syntax(target.script)
    if json_file not in ("", "-"):
        require_writable_file(json_file, "--json FILE")

    from samebits.check.trials.cost import measure_cost

    measured = measure_cost(target, steps=steps, exact=exact, timeout=timeout)
    if measured.samples is None:
        _explain_missing(measured.result, steps, measured.elsewhere)
        raise typer.Exit(EXIT_SCRIPT_FAILED)
    _show(measured, measured.samples, json_file)


def _show(measured: MeasuredCost, samples: CostSamples, json_file: str) -> None:
    import json
    from pathlib import Path

    from samebits.check.report.cost_text import cost_json, print_cost
    from samebits.check.report.output_stream import write_text

    stream = sys.stderr if json_file == "-" else sys.stdout
    print_cost(samples, stream, measured.exact_missing, measured.processes)
    if json_file:
        found = cost_json(samples, measured.exact_missing, measured.processes)
        text = json.dumps(found, indent=1) + "\n"
        if json_file == "-":
            write_text(text, sys.stdout)
        else:
            Path(json_file).write_text(text, encoding="ascii")


def _explain_missing(result: RunResult, steps: int, elsewhere: tuple[str, ...]) -> None:
    """Say why nothing was measured.

    Raises:
        RecordError: The script went well and made too few steps.
    """
    from samebits.check.report.output_stream import write_text
    from samebits.check.report.printable import printable_lines

    if result.failure is not None:
        raise RecordError(f"the steps could not be timed: {result.failure}")
    if result.exit_code == 0 and elsewhere:
        raise RecordError(
            f"the script ended before {steps} steps of each kind were timed in one process, its "
            f"own or one that it starts: {_some(elsewhere)}",
            hint="A step ends with optimizer.step(). Use a smaller --steps: N needs about 2 N + 15 "
            "steps of a process in total.",
        )
    if result.exit_code == 0:
        raise RecordError(
            f"the script ended before {steps} steps of each kind were timed",
            hint=(
                "A step ends with optimizer.step(). Use a smaller --steps: N needs about 2 N + 15 "
                "steps in total."
            ),
        )
    ended = "was ended by the timeout" if result.timed_out else f"ended with {result.ending}"
    lines = [f"samebits: the script {ended}", *printable_lines(result.stderr_tail)[-8:]]
    write_text("\n".join(lines) + "\n", sys.stderr)


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 4} more" if len(names) > 4 else ""
    return ", ".join(names[:4]) + more
