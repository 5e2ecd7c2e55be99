"""What a rule reports: a place, a sentence, a remedy."""

from __future__ import annotations

from dataclasses import dataclass

from samebits.core.source.edits import Edit

QUOTED_CHARACTERS = 160
"""Of a longer line only so much is kept around the place: it may be a whole minified file."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One place in one file that a rule objects to.

    Attributes:
        path: The file, as the person named it or as it was met below a folder they named.
        code: The rule's code, such as "SB101".
        name: The rule's name, such as "unseeded-random".
        message: What is wrong, in one sentence without a full stop.
        remedy: What to write instead; may be empty.
        line: First line, counted from 1; in a notebook, within its cell.
        column: First column, counted from 1 in characters.
        end_line: Last line.
        end_column: First column after the place.
        cell: Number of the notebook's cell, counted from 1 over all its cells; None elsewhere.
        quote: The first line's text, or the part of it around the place.
        quote_column: Column of the place within `quote`, counted from 1.
        fix: The edits by which `--fix` rewrites it, in the lines of the file's whole program.
        when: Facts that the program must have, else the finding is withdrawn.
        unless: Facts of the program of which any one withdraws the finding.
    """

    path: str
    code: str
    name: str
    message: str
    remedy: str = ""
    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1
    cell: int | None = None
    quote: str = ""
    quote_column: int = 1
    fix: tuple[Edit, ...] = ()
    when: frozenset[str] = frozenset()
    unless: frozenset[str] = frozenset()

    @property
    def fixable(self) -> bool:
        """Whether `--fix` can rewrite it."""
        return bool(self.fix)

    @property
    def order(self) -> tuple[str, int, int, int, str]:
        """Sorts findings as a person reads: by file, cell, line, column, rule."""
        return (self.path, self.cell or 0, self.line, self.column, self.code)


def cropped(line: str, column: int) -> tuple[str, int]:
    """The part of a line to quote, and the place's column in it (both counted from 1)."""
    if len(line) <= QUOTED_CHARACTERS:
        return line, column
    start = max(0, min(column - 1 - QUOTED_CHARACTERS // 4, len(line) - QUOTED_CHARACTERS))
    return line[start : start + QUOTED_CHARACTERS], column - start
