"""A parsed text: its tree, what its calls call, and questions that are asked of it often."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property, lru_cache

from samebits.core.source.expressions import place
from samebits.core.source.names import Names
from samebits.core.source.order_tables import MAKING_SETS, SORTING_METHODS, SORTING_WORDS
from samebits.core.source.tree import Tree, parse


class ParsedSource:
    """One file's text, parsed.

    Args:
        text: Python source with plain newlines.

    Raises:
        UnreadableError: It does not parse.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree: Tree = parse(text)
        self.names = Names(self.tree)
        self._bound: dict[ast.AST, frozenset[str]] = {}

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """All nodes of some types, in the order of the text within each type."""
        for kind in kinds:
            yield from self.tree.nodes.get(kind, ())

    @cached_property
    def calls(self) -> list[tuple[ast.Call, str]]:
        """Every call, with the dotted name of what it calls ("" when that is not known)."""
        qualified = self.names.qualified
        found = self.tree.nodes.get(ast.Call, ())
        return [(node, qualified(node.func) or "") for node in found]  # type: ignore[attr-defined,misc]

    @cached_property
    def called_names(self) -> frozenset[str]:
        """The dotted names of everything that the file calls."""
        return frozenset(name for _, name in self.calls)

    @cached_property
    def methods_called(self) -> dict[str, set[str]]:
        """For each method's name, the places (as `place` spells them) of the objects."""
        found: dict[str, set[str]] = {}
        for node, _ in self.calls:
            if isinstance(node.func, ast.Attribute):
                found.setdefault(node.func.attr, set()).add(place(node.func.value))
        return found

    @cached_property
    def stepped_through(self) -> tuple[frozenset[ast.AST], frozenset[str]]:
        """What `next` is called on: the expressions, and the places that are named."""
        given = [n.args[0] for n, _ in self.calls if n.args and place(n.func) == "next"]
        return frozenset(given), frozenset(map(place, given)) - {""}

    @cached_property
    def handed_on(self) -> frozenset[str]:
        """Places that plain functions are given as arguments."""
        return frozenset(
            place(value)
            for node, _ in self.calls
            if not isinstance(node.func, ast.Attribute)
            for value in node.args
        )

    @cached_property
    def last_sorted(self) -> dict[str, tuple[int, int]]:
        """For each place that is ever sorted, line and column where that happens last."""
        last: dict[str, tuple[int, int]] = {}
        for node, called in self.calls:
            places: set[str] = set()
            method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            if isinstance(node.func, ast.Attribute) and method in SORTING_METHODS:
                # An object without a name is "": whatever has none counts as sorted by it.
                places.add(place(node.func.value))
            word = (called.rpartition(".")[2] or method or place(node.func)).lower()
            if called in MAKING_SETS or any(part in word for part in SORTING_WORDS):
                places |= {place(part) for value in node.args for part in ast.walk(value)} - {""}
            at = (node.lineno, node.col_offset)
            for name in places:
                last[name] = max(at, last.get(name, at))
        return last

    @cached_property
    def attribute_values(self) -> dict[str, list[ast.expr]]:
        """What each attribute (`args.seed`, as `place` spells it) is assigned in this file."""
        found: dict[str, list[ast.expr]] = {}
        for assignment in self.tree.nodes.get(ast.Assign, ()):
            assert isinstance(assignment, ast.Assign)
            for target in assignment.targets:
                if isinstance(target, ast.Attribute) and place(target):
                    found.setdefault(place(target), []).append(assignment.value)
        return found

    def bound_in(self, loop: ast.AST) -> frozenset[str]:
        """Names that are bound anywhere in a loop."""
        if loop not in self._bound:
            self._bound[loop] = frozenset(
                part.id
                for part in ast.walk(loop)
                if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
            )
        return self._bound[loop]

    def in_function(self, node: ast.AST) -> bool:
        """Whether a node runs only when some function is called."""
        return any(
            isinstance(a, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            for a in self.tree.ancestors(node)
        )

    def loop_around(self, node: ast.AST) -> ast.For | ast.AsyncFor | ast.While | None:
        """The innermost loop statement around a node within its function."""
        for ancestor in self.tree.ancestors(node):
            if isinstance(ancestor, ast.For | ast.AsyncFor | ast.While):
                return ancestor
            if isinstance(ancestor, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                return None
        return None


@lru_cache(maxsize=8)
def parsed_source(text: str) -> ParsedSource:
    """A text, parsed once for all who ask about its parts.

    Raises:
        UnreadableError: It does not parse.
    """
    return ParsedSource(text)
