"""`samebits explain`: what is known of an operation, a flag, a cause or a rule?"""

from __future__ import annotations

import re
import sys
from typing import Annotated

import typer

from samebits.errors import UsageError

_RULE = re.compile(r"SB\d{3}", re.IGNORECASE)


def explain(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            show_default=False,
            help="An operation (aten.index_add, torch.bincount), a flag (cudnn.benchmark), an "
            "environment variable, a cause (unseeded-rng) or a lint rule (SB101).",
        ),
    ],
) -> None:
    """Explain an operation, a flag, a cause or a rule: why it matters and what to write.

    Operations are found by their name in a verdict, by what the code calls, or by the name in
    torch's error message.

    Exit code: 0 explained, 2 nothing is known under this name.
    """
    if _RULE.fullmatch(name.strip()):
        _explain_rule(name.strip().upper())
        return

    from samebits.catalog.lookup import look_up, suggestions
    from samebits.report.explanation import explanation_of, print_explanations
    from samebits.report.printable import printable_name

    found = look_up(name)
    if not found:
        close = suggestions(name)
        hint = (
            f"Did you mean {', '.join(close)}?"
            if close
            else "Give an operation (aten.index_add), a flag (cudnn.benchmark), a variable "
            "(NCCL_ALGO), a cause (unseeded-rng) or a rule (SB101)."
        )
        raise UsageError(f"nothing is known of {printable_name(name, 100)!r}", hint=hint)
    print_explanations([explanation_of(entry) for entry in found])


def _explain_rule(code: str) -> None:
    from importlib import import_module

    from samebits.report.stream import write_text

    try:
        explain_rule = import_module("samebits.lint").explain
    except (ImportError, AttributeError) as error:
        raise UsageError(
            f"{code} is a rule of samebits lint, which this version does not have",
            hint="Ask about an operation, a flag or a cause, or install a version with lint.",
        ) from error
    write_text(str(explain_rule(code)).rstrip("\n") + "\n", sys.stdout)
