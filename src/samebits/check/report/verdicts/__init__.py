"""How a verdict is shown: one module a format, each with a function `show`."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from samebits.check.diff.verdict import Verdict


class VerdictFormat(str, Enum):
    """The formats, each the name of its module here."""

    TEXT = "text"
    LINE = "line"
    MARKDOWN = "markdown"
    JSON = "json"
    SARIF = "sarif"
    JUNIT = "junit"


def show(verdict: Verdict, written_as: VerdictFormat, stream: TextIO) -> None:
    """Show a verdict in one of the formats.

    Args:
        verdict: What a comparison came to.
        written_as: The format.
        stream: Where to.
    """
    # The modules are imported when they are needed: rich is slow to come.
    shows: Callable[[Verdict, TextIO], None]
    shows = import_module(f"{__name__}.{written_as.value}").show
    shows(verdict, stream)
