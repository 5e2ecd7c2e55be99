"""Edits of source at the positions of its syntax tree: all else keeps every blank and comment."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Edit:
    """New text for a stretch of the old one.

    Attributes:
        start: Line, counted from 1, and column in bytes of UTF-8, as `ast` gives them.
        end: First place after the stretch; `start` itself where text is only put in.
        text: What stands there afterwards.
    """

    start: tuple[int, int]
    end: tuple[int, int]
    text: str


def replacing(node: ast.expr, text: str) -> Edit:
    """The edit that writes something else in place of an expression."""
    return Edit(start_of(node), end_of(node), text)


def wrapping(node: ast.expr, function: str) -> tuple[Edit, Edit]:
    """The edits that hand an expression to a function: `x` becomes `function(x)`.

    Unlike a replacement they may be made where others are made inside the expression.
    """
    start, end = start_of(node), end_of(node)
    return Edit(start, start, f"{function}("), Edit(end, end, ")")


def start_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """Where a node begins."""
    return node.lineno, node.col_offset


def end_of(node: ast.expr | ast.stmt) -> tuple[int, int]:
    """First place after a node."""
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return node.end_lineno, node.end_col_offset


class Text:
    """Source whose parts are found by line and column.

    Args:
        source: The text, with newlines as `ast` counts them.
    """

    def __init__(self, source: str) -> None:
        # Columns count bytes, and bytes end lines where Python does: never at U+2028.
        self.content = source.encode()
        self._starts = [0]
        for line in self.content.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def offset(self, place: tuple[int, int]) -> int:
        """Position of a place within `content`.

        Raises:
            ValueError: There is no such line.
        """
        line, column = place
        if not 1 <= line <= len(self._starts):
            raise ValueError(f"there is no line {line}")
        return self._starts[line - 1] + column

    def of(self, node: ast.expr | ast.stmt) -> str:
        """The text of a node."""
        return self.content[self.offset(start_of(node)) : self.offset(end_of(node))].decode()

    def edited(self, edits: Iterable[Edit], *, begin: int = 0, end: int | None = None) -> str:
        """The text with edits made.

        Args:
            edits: In any order; of those at one place the first comes first.
            begin: Position in `content` to give the text from; no edit lies before it.
            end: Position to give it to.

        Raises:
            ValueError: Two edits replace the same text, or one lies outside of it.
        """
        parts, at = [], begin
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            start = self.offset(edit.start)
            if start < at:
                raise ValueError(f"another edit has replaced what stands at {edit.start}")
            parts += [self.content[at:start], edit.text.encode()]
            at = self.offset(edit.end)
        return b"".join([*parts, self.content[at:end]]).decode()

    def holds(self, node: ast.expr) -> bool:
        """Whether an expression stands where its positions say.

        Before Python 3.12 those of expressions within f-strings may be wrong.
        """
        try:
            read = ast.parse(f"({self.of(node)})", mode="eval").body
        except (SyntaxError, ValueError):
            return False
        return ast.dump(read) == ast.dump(node)


@functools.lru_cache(maxsize=8)
def text_of(source: str) -> Text:
    """Source prepared for edits; the same files are asked for again and again."""
    return Text(source)
