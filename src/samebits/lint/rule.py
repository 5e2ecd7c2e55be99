"""What a rule is: a code, an explanation, two examples, and a function that looks at nodes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from samebits.core.source.edits import Edit

if TYPE_CHECKING:
    from samebits.lint.module import Module

OPEN, CLOSE = "⟦", "⟧"
"""In a bad example these stand around the place that must be found; they are no part of it."""

CATEGORIES = {
    "SB0": "The linter itself",
    "SB1": "Randomness",
    "SB2": "Order",
    "SB3": "PyTorch switches",
    "SB4": "Data loading",
    "SB5": "Saving and resuming",
    "SB6": "Environment",
}


@dataclass(frozen=True, kw_only=True)
class Objection:
    """What a rule's check yields; the engine makes a finding of it.

    Attributes:
        node: The place: a node, or (line, column, end line, end column) counted from 1.
        message: What is wrong, one sentence without a full stop.
        remedy: What to write instead.
        when: Facts that the program must have.
        unless: Facts of which any one withdraws the report.
        fix: The edits of the file that put it right; none where that is for a person to do.
    """

    node: ast.AST | tuple[int, int, int, int]
    message: str
    remedy: str = ""
    when: frozenset[str] = frozenset()
    unless: frozenset[str] = frozenset()
    fix: tuple[Edit, ...] = ()


Check = Callable[["Module", Any, str], Iterable[Objection]]
"""Called with the file, a node, and the dotted name of what it calls ("" for other nodes)."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One thing that makes runs differ.

    Attributes:
        code: "SB" and three digits; the first is the category.
        name: The same in words, with hyphens.
        summary: One line.
        explanation: Why it matters and what to do, paragraphs of plain text.
        bad: A program with the mistake; ⟦ and ⟧ stand around each place to be found.
        good: The same program without it.
        check: Looks at one node.
        calls: Dotted names of functions whose calls the check is given.
        methods: Attribute names; calls of any object's method of that name are given.
        nodes: Further node types that the check is given; `ast.Module` for once a file.
        once: Keep only the first finding of a file; the message counts the others.
        fixes: Whether some of what it finds comes with a fix.
        file_name: Name that the examples must bear for the rule to look at them.
    """

    code: str
    name: str
    summary: str
    explanation: str
    bad: str
    good: str
    check: Check
    calls: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    nodes: tuple[type[ast.AST], ...] = ()
    once: bool = False
    fixes: bool = False
    file_name: str = "train.py"

    @property
    def category(self) -> str:
        """What the rule is about, in words."""
        return CATEGORIES[self.code[:3]]

    @property
    def bad_source(self) -> str:
        """The bad example as a program."""
        return self.bad.replace(OPEN, "").replace(CLOSE, "")

    @property
    def bad_places(self) -> list[tuple[int, int, int, int]]:
        """Where the bad example is bad: line, column, end line, end column, counted from 1."""
        places: list[tuple[int, int, int, int]] = []
        starts: list[tuple[int, int]] = []
        line = column = 1
        for part in re.split(f"([{OPEN}{CLOSE}\n])", self.bad):
            if part == OPEN:
                starts.append((line, column))
            elif part == CLOSE:
                places.append((*starts.pop(), line, column))
            elif part == "\n":
                line, column = line + 1, 1
            else:
                column += len(part)
        return sorted(places)
