"""Arguments and options that commands share, with one help text each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Annotated

import typer

from samebits.check.report.verdicts import VerdictFormat
from samebits.errors import UsageError

MAX_SEED = 2**64 - 1


def checked_seed(seed: int | None) -> int | None:
    """Refuse a seed that no 64-bit generator takes.

    Raises:
        typer.BadParameter: It is below 0 or above 2**64 - 1.
    """
    if seed is not None and not 0 <= seed <= MAX_SEED:
        raise typer.BadParameter(f"{seed} is not in the range from 0 to {MAX_SEED}")
    return seed


class Level(str, Enum):
    """How finely a run is recorded."""

    AUTO = "auto"
    STEP = "step"
    MODULE = "module"
    OP = "op"


Script = Annotated[
    str,
    typer.Argument(metavar="SCRIPT", show_default=False, help="The script to run."),
]
ScriptArguments = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ARGS",
        show_default=False,
        help="Arguments of the script, passed on untouched.",
    ),
]
IsModule = Annotated[
    bool,
    typer.Option("-m", "--module", help="SCRIPT is the name of a module, as for python -m."),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress; the result in a single line.")
]
JsonFile = Annotated[
    str,
    typer.Option(
        "--json",
        metavar="FILE",
        show_default=False,
        help="Write the verdict as JSON as well; '-' is standard output, and the panel then goes "
        "to standard error.",
    ),
]
HtmlFile = Annotated[
    str,
    typer.Option(
        "--html",
        metavar="FILE",
        show_default=False,
        help="Write the verdict as a page as well, which opens in a browser without a network.",
    ),
]
OutputFormat = Annotated[
    VerdictFormat,
    typer.Option(
        "--format",
        help="How the verdict is printed; markdown is for pull requests, sarif for code scanning, "
        "junit for test reports.",
    ),
]
Exact = Annotated[
    bool,
    typer.Option(
        "--exact",
        help="Compute inside samebits.exact(): the same bits on any CPU, any thread count, any "
        "batch size; stops at an operation that has no exact form.",
    ),
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="OPERATION",
        show_default=False,
        help="Let an operation through --exact as torch computes it; may be repeated.",
    ),
]
AcceptIncomplete = Annotated[
    bool,
    typer.Option(
        "--accept-incomplete",
        help="Exit with 0 if everything that was compared agrees, even if something was not "
        "compared; the report still names it.",
    ),
]
IgnoreOutput = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore-output",
        metavar="REGEX",
        show_default=False,
        help="Leave printed lines in which this regular expression is found out of the comparison; "
        "may be repeated. Durations, dates, rates and the like never count.",
    ),
]


def compiled_patterns(given: Sequence[str] | None) -> list[re.Pattern[str]]:
    """The expressions of --ignore-output.

    Raises:
        UsageError: One is no regular expression.
    """
    patterns = []
    for text in given or ():
        try:
            patterns.append(re.compile(text))
        except re.error as error:
            raise UsageError(
                f"--ignore-output '{text}' is no regular expression: {error}",
                hint=f"write it as Python's re takes it; literally, it is '{re.escape(text)}'",
            ) from error
    return patterns
