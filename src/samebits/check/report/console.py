"""The console that everything is drawn on before it is written: plain text unless styled."""

from __future__ import annotations

import contextlib
import io
import os
import re
from collections.abc import Callable
from typing import TextIO

from rich.console import Console

from samebits.check.report.output_stream import write_text

PIPED_WIDTH = 100

_STYLE = re.compile(r"\x1b\[[0-9;]*m")
_END = re.compile(r"(?:\s|\x1b\[[0-9;]*m)+$")
"""Blanks at the end of a line, and the sequences among them that end its style."""


def drawn(
    draw: Callable[[Console], None], *, width: int = PIPED_WIDTH, styled: bool = False
) -> str:
    """What `draw` prints on a console, as text whose lines have no trailing blanks.

    Args:
        draw: Prints on the console that it is given; markup and emoji codes are plain text there.
        width: Columns.
        styled: Colour and weight as terminal escape sequences; NO_COLOR takes the colour out.
    """
    buffer = io.StringIO()
    console = Console(
        file=buffer,
        width=width,
        force_terminal=styled,
        force_jupyter=False,
        color_system="auto" if styled else None,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    draw(console)
    return "\n".join(_END.sub(_without_blanks, line) for line in buffer.getvalue().split("\n"))


def _without_blanks(end: re.Match[str]) -> str:
    return "".join(_STYLE.findall(end.group()))


def print_drawn(draw: Callable[[Console], None], stream: TextIO) -> None:
    """Draw for a stream: as wide as its terminal and in colour there, plain anywhere else."""
    terminal = stream.isatty()
    width = _terminal_width(stream) if terminal else _asked_width() or PIPED_WIDTH
    # https://no-color.org: whoever sets it wants no colour, whatever else asks for it.
    forced = bool(os.environ.get("FORCE_COLOR")) and not os.environ.get("NO_COLOR")
    styled = terminal or forced
    write_text(drawn(draw, width=width, styled=styled), stream)


def _terminal_width(stream: TextIO) -> int:
    """Columns of the terminal behind a stream; COLUMNS has the last word, as everywhere."""
    asked = _asked_width()
    if asked:
        return asked
    with contextlib.suppress(OSError, ValueError):
        columns = os.get_terminal_size(stream.fileno()).columns
        if columns > 0:
            return columns
    return 80


def _asked_width() -> int:
    """What COLUMNS asks for; 0 where it asks for nothing that can be."""
    with contextlib.suppress(ValueError, KeyError):
        return max(int(os.environ["COLUMNS"]), 0)
    return 0
