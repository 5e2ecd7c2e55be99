"""The user's own source line, quoted from the file that a trace names."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from pathlib import Path

from samebits.report.printable import printable_source, printable_text
from samebits.trace.source_files import read_source


@dataclass(frozen=True, kw_only=True)
class Quote:
    """A line of source with its neighbours, ready to print.

    Attributes:
        line: Number of the line that is quoted, counted from 1.
        lines: Pairs of line number and printable text, in order; `line` is among them.
    """

    line: int
    lines: tuple[tuple[int, str], ...]


def quote(file: str | None, line: int | None, *, around: int = 1) -> Quote | None:
    """Quote a source line.

    Args:
        file: Path of the file, absolute or from the current directory.
        line: Line number, counted from 1.
        around: Neighbouring lines to show on either side.

    Returns:
        The quote, or None when there is nothing to quote: no place is known, the file is gone,
        unreadable, too large or no regular file, it is not the run's (see
        `samebits.trace.source_files`), or it has no such line.
    """
    if not file or line is None or line < 1:
        return None
    text = _read(file)
    if text is None:
        return None
    # Not str.splitlines: Python counts lines at newlines only, never at form feeds or U+2028.
    source = text.removesuffix("\n").split("\n")
    if line > len(source):
        return None
    first = max(1, line - around)
    last = min(len(source), line + around)
    numbers = range(first, last + 1)
    shown = _without_margin([printable_source(source[n - 1]) for n in numbers])
    return Quote(line=line, lines=tuple(zip(numbers, shown, strict=True)))


def short_path(file: str) -> str:
    """A path as a person would write it: from the current directory when it lies below it."""
    try:
        return printable_text(str(Path(file).relative_to(Path.cwd())))
    except (ValueError, OSError):
        return printable_text(file)


def _without_margin(lines: list[str]) -> list[str]:
    """The lines without the indentation that they share: room is short on a narrow terminal."""
    margin = min((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), default=0)
    return [line[margin:] for line in lines]


def _read(file: str) -> str | None:
    """The file's text with plain newlines, or None when it cannot be read as source."""
    content = read_source(file)
    if content is None:
        return None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except (SyntaxError, ValueError):
        encoding = "utf-8"
    try:
        text = content.decode(encoding, "backslashreplace")
    except (LookupError, ValueError):  # a declared codec that is none for text
        text = content.decode("utf-8", "backslashreplace")
    return text.replace("\r\n", "\n").replace("\r", "\n")
