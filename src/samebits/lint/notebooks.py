"""Notebooks rewritten: a cell's lines are replaced, all else in the file keeps its bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping

from samebits.lint.source import Source

_INDENTS = (1, 2, 4, 0, None)


def rewritten_notebook(content: bytes, source: Source, new_text: str) -> bytes | None:
    """The notebook's file with another program in its cells.

    Args:
        content: The file.
        source: What was read from it.
        new_text: The joined text of all code cells, with as many lines as before.

    Returns:
        The new file; None where its bytes could not be kept otherwise as they are, or where lines
        came or went, so that cells cannot be told apart.
    """
    old, new = source.lines, new_text.split("\n")
    if len(old) != len(new):
        return None
    style = _style(content)
    if style is None:
        return None
    changed = {number: line for number, line in enumerate(new, 1) if line != old[number - 1]}
    notebook = json.loads(content)
    for cell in source.cells:
        raw = notebook["cells"][cell.number - 1]
        last_line = cell.first_line + len(_text_of(raw.get("source")).split("\n"))
        if any(number in changed for number in range(cell.first_line, last_line)):
            raw["source"] = _with_lines(raw["source"], cell.first_line, changed)
    return _dumped(notebook, *style)


def _text_of(source: object) -> str:
    return "".join(map(str, source)) if isinstance(source, list) else str(source or "")


def _with_lines(source: object, first_line: int, changed: Mapping[int, str]) -> object:
    """A cell's source, a text or a list of lines, with some of its lines replaced."""
    if isinstance(source, list):
        text = _with_lines(_text_of(source), first_line, changed)
        return str(text).splitlines(keepends=True)
    if not isinstance(source, str):
        return source
    lines = source.split("\n")
    for place, line in enumerate(lines):
        replaced = changed.get(first_line + place)
        if replaced is not None:
            lines[place] = replaced + ("\r" if line.endswith("\r") else "")
    return "\n".join(lines)


Style = tuple["int | None", bool, str]


def _style(content: bytes) -> Style | None:
    """How the file was written, so that writing it again gives the same bytes; None if unknown."""
    notebook = json.loads(content)
    for indent in _INDENTS:
        for ascii_only in (False, True):
            for end in ("\n", ""):
                if _dumped(notebook, indent, ascii_only, end) == content:
                    return indent, ascii_only, end
    return None


def _dumped(notebook: object, indent: int | None, ascii_only: bool, end: str) -> bytes:
    separators = (",", ": ") if indent is not None else (", ", ": ")
    text = json.dumps(notebook, indent=indent, ensure_ascii=ascii_only, separators=separators)
    return (text + end).encode("utf-8", "surrogatepass")
