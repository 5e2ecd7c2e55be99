"""How lint's findings are written: one module a format, each with a function `render`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from importlib import import_module

from samebits.lint.finding import Finding


class Format(str, Enum):
    """The formats, each the name of its module here."""

    TEXT = "text"
    JSON = "json"
    SARIF = "sarif"
    GITHUB = "github"


def rendered(findings: Sequence[Finding], files: int, written_as: Format) -> str:
    """Findings in one of the formats, with a final newline where there is anything to say.

    Args:
        findings: What was found.
        files: In how many files it was looked for.
        written_as: The format.
    """
    # The modules are imported when they are needed: rich is slow to come.
    render: Callable[[Sequence[Finding], int], str]
    render = import_module(f"{__name__}.{written_as.value}").render
    return render(findings, files)
