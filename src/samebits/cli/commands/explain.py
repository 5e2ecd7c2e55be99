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
        _explain_rule(name)
        return

    from samebits.check.report.explanation import explanation_of, print_explanations
    from samebits.check.report.lookup import look_up, suggestions
    from samebits.check.report.printable import printable_name

    found = look_up(name)
    if not found:
        close = suggestions(name)
        hint = (
            f"Did you mean {', '.join(close)}?"
            if close
            else "Give an operation (aten.index_add), a flag (cudnn.benchmark), a variable "
            "(NCCL_ALGO), a cause (unseeded-rng) or a rule (SB101)."
        )
        raise UsageError(f"there is no entry for {printable_name(name, 100)!r}", hint=hint)
    print_explanations([explanation_of(entry) for entry in found])


def _explain_rule(code: str) -> None:
    """Print a rule of lint, as `samebits lint --explain` does.

    Raises:
        UsageError: There is no such rule.
    """
    from samebits.check.report.findings.text import render_explanation
    from samebits.check.report.output_stream import write_text
    from samebits.lint.registry import find_rule

    write_text(render_explanation(find_rule(code)), sys.stdout)
