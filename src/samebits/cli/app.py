"""The `samebits` command: its subcommands, its exit codes, and what becomes of an error.

Exit codes: 0 same, 1 different, 2 wrong usage or samebits itself failed, 3 the script failed on
its own, 130 interrupted.
"""

from __future__ import annotations

import errno
import inspect
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from samebits.cli.commands import checkpoint as checkpoint_command
from samebits.cli.commands import env as env_command
from samebits.cli.commands import exact as exact_command
from samebits.cli.commands import runs as runs_command
from samebits.cli.commands.audit import audit
from samebits.cli.commands.check import check
from samebits.cli.commands.collect import collect
from samebits.cli.commands.cost import cost
from samebits.cli.commands.diff import diff
from samebits.cli.commands.explain import explain
from samebits.cli.commands.ledger import ledger
from samebits.cli.commands.lint import lint
from samebits.cli.commands.report import report
from samebits.cli.commands.run import run
from samebits.cli.commands.watch import watch
from samebits.errors import SamebitsError

EXIT_FAILED = 2
EXIT_INTERRUPTED = 130

DEBUG_VARIABLE = "SAMEBITS_DEBUG"


class _Commands(TyperGroup):
    """Runs a subcommand and turns what goes wrong in it into a message and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except SamebitsError as error:
            _say(error.message, error.hint)
            if _debugging():
                traceback.print_exc()
            raise typer.Exit(EXIT_FAILED) from error
        except KeyboardInterrupt:
            _say("interrupted", kind="")
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except OSError as error:
            full = error.errno in (errno.ENOSPC, errno.EDQUOT) and error.filename is None
            if full:  # a stream has no name, a file has one
                _silence_output()
                _say(
                    f"cannot write the output: {error.strerror}", "Make room, or send it elsewhere."
                )
                raise typer.Exit(EXIT_FAILED) from None
            if error.errno != errno.EPIPE:
                raise
            # Whoever read the output has gone; that is for them to know, not for us to lament.
            _silence_output()
            raise typer.Exit(EXIT_FAILED) from None


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"samebits {version('samebits')}")
        raise typer.Exit


@app.callback()
def samebits(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=_print_version,
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Same code, same seed, same bits: make PyTorch runs reproducible, and prove that they are."""


def _help(command: Callable[..., None]) -> str:
    """A command's docstring with its paragraphs reflowed: a terminal breaks lines elsewhere."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


# Everything from SCRIPT on belongs to the script: its own --help and --seed included.
_SCRIPT_ARGUMENTS = {"allow_interspersed_args": False}
app.command(help=_help(check), context_settings=_SCRIPT_ARGUMENTS)(check)
app.command(help=_help(run), context_settings=_SCRIPT_ARGUMENTS)(run)
app.command(help=_help(diff))(diff)
app.command(help=_help(collect))(collect)
app.command(help=_help(ledger))(ledger)
app.command(help=_help(report))(report)
app.command(help=_help(watch))(watch)
app.command(help=_help(lint))(lint)
app.command(help=_help(explain))(explain)
app.command(help=_help(audit), context_settings=_SCRIPT_ARGUMENTS)(audit)
app.command(help=_help(cost), context_settings=_SCRIPT_ARGUMENTS)(cost)
for command in env_command.COMMANDS:
    settings = _SCRIPT_ARGUMENTS if command is env_command.lock else {}
    env_command.env.command(help=_help(command), context_settings=settings)(command)
app.add_typer(
    env_command.env,
    name="env",
    help="Capture, compare, check and lock the environment that results depend on.",
)
for name, of_runs in runs_command.COMMANDS.items():
    runs_command.runs.command(name, help=_help(of_runs))(of_runs)
app.add_typer(
    runs_command.runs, name="runs", help="List recorded runs; show, export or remove them."
)
for looking in checkpoint_command.COMMANDS:
    checkpoint_command.checkpoint.command(help=_help(looking))(looking)
app.add_typer(
    checkpoint_command.checkpoint,
    name="checkpoint",
    help="Inspect, verify and compare checkpoints.",
)
exact_command.exact.command(name="list", help=_help(exact_command.list_))(exact_command.list_)
exact_command.exact.callback()(lambda: None)  # a group of one command stays a group
app.add_typer(exact_command.exact, name="exact", help="What exact arithmetic covers.")


def main() -> None:
    """Entry point of the `samebits` command; always ends by `SystemExit`."""
    try:
        app(prog_name="samebits")
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except Exception as error:
        if _debugging():
            traceback.print_exc()
        else:
            _say_unexpected(error)
        sys.exit(EXIT_FAILED)


def _say(message: str, hint: str | None = None, *, kind: str = "error: ") -> None:
    """Print a message to standard error; each line of it is made printable."""
    from samebits.check.report.output_stream import write_text
    from samebits.check.report.printable import printable_lines

    first, *rest = printable_lines(message)
    lines = [f"samebits: {kind}{first}", *rest]
    if hint:
        lines += [f"  {line}" for line in printable_lines(hint)]
    write_text("\n".join(lines) + "\n", sys.stderr)


def _say_unexpected(error: Exception) -> None:
    """A fault of samebits: what it was, in which of its lines, and how to report it."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    _say(
        f"samebits itself failed: {type(error).__name__}: {error}{where}",
        hint=f"Run it again with {DEBUG_VARIABLE}=1 for the traceback, and please report it with\n"
        "that traceback, the command line and the output of `samebits --version`.",
    )


def _debugging() -> bool:
    return os.environ.get(DEBUG_VARIABLE, "") not in ("", "0")


def _silence_output() -> None:
    from samebits.check.report.output_stream import silence

    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            silence(stream)
