"""Lines that walk or count a collection which lets go of what nobody else holds."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterator

from samebits.core.source.parsed import parsed_source
from samebits.core.source.statement import called, statements_in

_WEAK = frozenset({"WeakKeyDictionary", "WeakSet", "WeakValueDictionary"})
_WALKING = frozenset(
    {"dict", "enumerate", "iter", "len", "list", "max", "min", "set", "sorted", "sum", "tuple"}
)
_PARTS = frozenset({"items", "keys", "values"})
_MOST_FILES = 64


def lines_that_walk_weak_collections(file: str | None) -> tuple[int, ...]:
    """The lines that go through all that a weak collection still holds, or count it, in order.

    What is looked up by a key does not count: whoever asks for it mostly holds it.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    statements = list(statements_in(file))
    names = {name for one in statements for name in _made(one.node)}
    # A name that something else goes under as well may be that.
    names -= {name for one in statements for name in _made_otherwise(one.node)}
    return tuple(
        sorted(
            {
                node.lineno
                for one in statements
                for node in one.expressions()
                if names and _walks(node, names)
            }
            | {
                one.node.lineno
                for one in statements
                if isinstance(one.node, ast.For) and _is_one(one.node.iter, names)
            }
        )
    )


def is_weak_set(node: ast.expr, source: str) -> bool:
    """Whether a name is that of a `WeakSet`, for all that the file says.

    Args:
        node: The expression, such as `Layer.live`.
        source: The file's text, which must be Python.
    """
    return _name(node) in _weak_sets(source)


@functools.lru_cache(maxsize=_MOST_FILES)
def _weak_sets(source: str) -> frozenset[str]:
    tree = parsed_source(source).tree.root
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    names = {name for node in nodes for name in _made(node, frozenset({"WeakSet"}))}
    return frozenset(names - {name for node in nodes for name in _made_otherwise(node)})


def _made(node: ast.stmt, kinds: Collection[str] = _WEAK) -> Iterator[str]:
    """What a statement stores a weak collection under: "by_number" of `self.by_number = …`."""
    if isinstance(node, ast.Assign) and called(node.value) in kinds:
        targets = node.targets
    elif isinstance(node, ast.AnnAssign) and node.value and called(node.value) in kinds:
        targets = [node.target]
    else:
        return
    for target in targets:
        name = _name(target)
        if name is not None:
            yield name


def _made_otherwise(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.Assign | ast.AnnAssign) and not list(_made(node)):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from filter(None, map(_name, targets))


def _name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def _is_one(node: ast.expr, names: set[str]) -> bool:
    """Whether it is such a collection, or all of its keys or values."""
    if isinstance(node, ast.Call) and called(node) in _PARTS and not node.args:
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
    return _name(node) in names


def _walks(node: ast.expr, names: set[str]) -> bool:
    if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
        return any(_is_one(part.iter, names) for part in node.generators)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _WALKING:
        return any(_is_one(one, names) for one in node.args)
    return False
