"""Sentences and source lines from a script or a run folder, made safe to print.

Names, source lines and messages in a trace are data that anyone may have written. A terminal obeys
escape sequences, turns text around at bidirectional marks and hides zero-width characters;
`samebits.core.names` makes all of these visible escapes, here it is applied to longer text.
"""

from __future__ import annotations

from samebits.core.names import printable as printable_name

__all__ = ["printable_lines", "printable_name", "printable_source", "printable_text"]

TAB_WIDTH = 4
MAX_LENGTH = 4000
"""Longer lines are cut: nobody reads them, and wrapping them takes for ever."""


def printable_text(text: str) -> str:
    """A sentence or a path on one line, with all that is not plainly visible as an escape."""
    return printable_name(text, MAX_LENGTH)


def printable_source(line: str) -> str:
    """A line of source code or of a script's output: tabs become spaces, its end goes."""
    return printable_text(line.rstrip("\r\n").expandtabs(TAB_WIDTH))


def printable_lines(text: str) -> list[str]:
    """Split at newlines, then make each line printable; blank lines at the end go."""
    return [printable_source(line) for line in text.rstrip().split("\n")]
