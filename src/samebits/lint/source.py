"""Files as text: encodings as Python reads them, and the cells of notebooks as one program."""

from __future__ import annotations

import bisect
import io
import itertools
import json
import re
import tokenize
from dataclasses import dataclass, field
from pathlib import Path

from samebits.core.source.files import UnreadableError, read_bytes

MAX_BYTES = 2 * 2**20
"""A larger file is data in Python's clothes; its syntax tree would take gigabytes."""

MAX_NOTEBOOK_BYTES = 64 * 2**20
"""Notebooks carry their pictures; only the code of their cells counts against MAX_BYTES."""

_MAGIC = re.compile(r"^(\s*)(%|!|\?)")
_ASSIGNED_MAGIC = re.compile(r"^(\s*[\w, ]+=\s*)(%|!)\S")
_HELP = re.compile(r"^(\s*)[\w.]+\?{1,2}\s*$")
# Cell magics whose cell is still Python that runs in the notebook's own process.
_PYTHON_CELLS = ("time", "timeit", "capture", "prun")


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A notebook's code cell within the joined text.

    Attributes:
        number: Counted from 1 over all cells, as a person counts them on the page.
        first_line: Line of the joined text that the cell begins at.
    """

    number: int
    first_line: int


@dataclass(frozen=True, kw_only=True)
class Source:
    """A file's text.

    Attributes:
        path: The file as findings name it.
        text: Python source with plain newlines; of a notebook, all code cells joined.
        cells: A notebook's code cells in order; empty for a script.
        is_notebook: Whether the file is a notebook.
        encoding: Encoding of the file, to write it back.
    """

    path: str
    text: str
    cells: tuple[Cell, ...] = ()
    is_notebook: bool = False
    encoding: str = "utf-8"
    lines: list[str] = field(init=False, repr=False)
    _character_ends: dict[int, list[int]] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        # Not str.splitlines: Python counts lines at newlines only, never at U+2028.
        object.__setattr__(self, "lines", self.text.split("\n"))

    def line(self, number: int) -> str:
        """A line's text, counted from 1; empty beyond the end."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""

    def character_column(self, line: int, byte_offset: int) -> int:
        """Column counted from 1 in characters, of an offset in UTF-8 bytes as `ast` gives it."""
        text = self.line(line)
        if text.isascii():
            return byte_offset + 1
        if line not in self._character_ends:
            # Once a line, not once a place: the line may be the whole file.
            sizes = (len(character.encode("utf-8", "replace")) for character in text)
            self._character_ends.clear()
            self._character_ends[line] = list(itertools.accumulate(sizes))
        return bisect.bisect_right(self._character_ends[line], byte_offset) + 1

    def cell_at(self, line: int) -> Cell | None:
        """The cell that a line of the joined text lies in."""
        at = bisect.bisect_right([cell.first_line for cell in self.cells], line) - 1
        return self.cells[at] if at >= 0 else None


def read_source(path: Path, shown_as: str) -> Source:
    """Read a script or a notebook.

    Args:
        path: The file.
        shown_as: What findings call it.

    Raises:
        UnreadableError: It is no regular file, too large, not text, or no notebook.
    """
    notebook = path.suffix == ".ipynb"
    content = read_bytes(path, MAX_NOTEBOOK_BYTES if notebook else MAX_BYTES)
    if notebook:
        return _notebook(content, shown_as)
    text, encoding = decoded(content)
    return Source(path=shown_as, text=text, encoding=encoding)


def decoded(content: bytes) -> tuple[str, str]:
    """Text with plain newlines, and its encoding, as Python itself would decode it.

    Raises:
        UnreadableError: The declared encoding is unknown, or the bytes are not in it.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        text = content.decode(encoding)
    except (SyntaxError, LookupError, ValueError) as error:
        raise UnreadableError(f"is not text in its encoding: {error}") from error
    if not isinstance(text, str) or "\0" in text:
        raise UnreadableError("holds null bytes and is no source")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def _notebook(content: bytes, shown_as: str) -> Source:
    try:
        notebook = json.loads(content)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise UnreadableError(f"is no notebook: not JSON ({type(error).__name__})", line) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list):
        raise UnreadableError("is no notebook: it has no list of cells")
    joined: list[str] = []
    code: list[Cell] = []
    for number, cell in enumerate(cells, start=1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        code.append(Cell(number=number, first_line=len(joined) + 1))
        joined.extend(_python_lines(_cell_text(cell.get("source"))))
    text = "\n".join(joined)
    if len(text) > MAX_BYTES:
        raise UnreadableError(f"holds more than {MAX_BYTES // 2**20} MiB of code")
    if "\0" in text:
        raise UnreadableError("holds null bytes and is no source")
    return Source(path=shown_as, text=text, cells=tuple(code), is_notebook=True)


def _cell_text(source: object) -> str:
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        return ""
    # A lone surrogate, which JSON can spell, is nothing that Python's parser takes.
    text = source.encode("utf-8", "replace").decode("utf-8")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _python_lines(text: str) -> list[str]:
    """A cell's lines with what only IPython understands blanked, line for line."""
    lines = text.split("\n")
    start = next((n for n, line in enumerate(lines) if line.strip()), 0)
    if lines[start].startswith("%%"):
        magic = lines[start][2:].split(maxsplit=1)
        if not magic or magic[0] not in _PYTHON_CELLS:
            return [""] * len(lines)
        lines[start] = ""
    return [_python_line(line) for line in lines]


def _python_line(line: str) -> str:
    if match := _MAGIC.match(line) or _HELP.match(line):
        return f"{match[1]}pass"
    if match := _ASSIGNED_MAGIC.match(line):
        return f"{match[1]}None"
    return line
