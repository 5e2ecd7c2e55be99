"""Names of what holds sets under keys, as a file fills it: `links = defaultdict(set)`."""

from __future__ import annotations

import ast
import functools

from samebits.core.source.expressions import called, makes_set
from samebits.core.source.parsed import parsed_source

_MOST_FILES = 64


def holds_sets(node: ast.expr, source: str) -> bool:
    """Whether an expression is an item of what holds sets, for all that the file says.

    Args:
        node: The expression, such as `self.links[name]`.
        source: The file's text, which must be Python.
    """
    if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
        return False
    return _last(node.value) in _holding(source)


@functools.lru_cache(maxsize=_MOST_FILES)
def _holding(source: str) -> frozenset[str]:
    """The last names of dicts and lists whose items are sets, and never anything else."""
    sets: set[str] = set()
    others: set[str] = set()
    for node in ast.walk(parsed_source(source).tree.root):
        for name, item in _items(node):
            (sets if makes_set(item) else others).add(name)
    return frozenset(sets - others - {""})


def _items(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """Names, and what a statement or a call puts under a key of theirs."""
    if isinstance(node, ast.Assign):
        found = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                found.append((_last(target.value), node.value))
            elif (made := _item_of(node.value)) is not None:
                found.append((_last(target), made))
        return found
    if isinstance(node, ast.Call) and called(node) == "setdefault" and len(node.args) == 2:
        assert isinstance(node.func, ast.Attribute | ast.Name)
        owner = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        return [(_last(owner), node.args[1])]
    return []


def _item_of(value: ast.expr) -> ast.expr | None:
    """What all items of a new dict or list are like; None where it does not tell."""
    match value:
        case ast.DictComp(value=item):
            return item
        case ast.ListComp(elt=item):
            return item
        case ast.Call(args=[ast.Name(id="set" | "frozenset") as kind]) if (
            called(value) == "defaultdict"
        ):
            return ast.Call(func=kind, args=[], keywords=[])
    return None


def _last(node: ast.expr) -> str:
    """The last of a dotted name; "" of anything else."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
