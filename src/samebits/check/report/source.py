"""The user's own source line, quoted from the file that a trace names."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

from samebits.check.report.printable import printable_source, printable_text
from samebits.core.source.files import read_source

NOTEBOOK_HEADER = "# The code cells of {name}, in order; written by samebits."
CELL_MARK = "# cell {number} of {name}"
"""Lines of the script that a notebook is run as, by which its lines find back to their cells."""
_HEADER = re.compile(r"# The code cells of .+, in order; written by samebits\.")
_MARK = re.compile(r"# cell (?P<number>\d+) of (?P<name>.+)")


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
        `samebits.core.source.files`), or it has no such line.
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
    cell = _cell_at(source, line)
    above = 0
    if cell is not None:
        above = cell.line
        first = max(first, above + 1)
        last = next((n for n in range(line, last) if _MARK.fullmatch(source[n])), last)
    numbers = range(first, last + 1)
    shown = _without_margin([printable_source(source[n - 1]) for n in numbers])
    lines = tuple((n - above, text) for n, text in zip(numbers, shown, strict=True))
    return Quote(line=line - above, lines=lines)


def place_text(file: str, line: int | None) -> str:
    """A place as a person finds it: "train.py:12", or "train.ipynb, cell 3, line 2"."""
    if line is None:
        return short_path(file)
    # Only scripts that samebits made of notebooks are opened for this.
    text = _read(file) if file.endswith(".ipynb.py") else None
    cell = None if text is None else _cell_at(text.split("\n"), line)
    if cell is None:
        return f"{short_path(file)}:{line}"
    return f"{printable_text(cell.notebook)}, cell {cell.number}, line {line - cell.line}"


@dataclass(frozen=True, kw_only=True)
class _Cell:
    """A notebook's cell within the script made of it; `line` is that of its mark."""

    notebook: str
    number: int
    line: int


def _cell_at(source: list[str], line: int) -> _Cell | None:
    if not _HEADER.fullmatch(source[0]):
        return None
    for number in range(min(line, len(source)), 0, -1):
        mark = _MARK.fullmatch(source[number - 1])
        if mark is not None and number < line:
            return _Cell(notebook=mark["name"], number=int(mark["number"]), line=number)
    return None


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
