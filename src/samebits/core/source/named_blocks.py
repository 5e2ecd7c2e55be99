"""Lines that sort blocks of shared memory by the names that the system has drawn for them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.statement import Statement, called, statements_in

_MAKING = frozenset({"SharedMemory", "ShareableList"})
_ADDING = frozenset({"add", "append", "setdefault"})
_CHOOSING = frozenset({"max", "min", "sorted"})
_COMPREHENSIONS = (ast.GeneratorExp, ast.ListComp, ast.SetComp)


def sorts_blocks_by_name(file: str | None) -> int | None:
    """The first line of a file that puts blocks of shared memory in the order of their names.

    What is called `.name` in a file that makes such blocks counts as the name of one.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    statements = list(statements_in(file))
    if not any(_makes_blocks(statement) for statement in statements):
        return None
    named = {name for statement in statements for name in _stored_by_name(statement)}
    for statement in statements:
        for node in statement.expressions():
            if isinstance(node, ast.Call) and _sorts(node, named):
                return node.lineno
    return None


def _makes_blocks(statement: Statement) -> bool:
    """Whether a block is made without a name of the script's own."""
    return any(
        isinstance(node, ast.Call)
        and called(node) in _MAKING
        and not any(given.arg == "name" for given in node.keywords)
        for node in statement.expressions()
    )


def _stored_by_name(statement: Statement) -> Iterator[str]:
    """What holds names of blocks: as its elements, or as its keys."""
    match statement.node:
        case ast.Assign(targets=[ast.Subscript(value=holder, slice=key)]) if _is_name(key):
            yield ast.unparse(holder)
        case ast.Assign(targets=[target], value=ast.DictComp(key=key)) if _is_name(key):
            yield ast.unparse(target)
        case ast.Assign(targets=[target], value=value) if _lists_names(value):
            yield ast.unparse(target)
    for node in statement.expressions():
        match node:
            case ast.Call(func=ast.Attribute(value=holder, attr=attr), args=[first, *_]) if (
                attr in _ADDING and _is_name(first)
            ):
                yield ast.unparse(holder)


def _sorts(call: ast.Call, named: set[str]) -> bool:
    keys = [given.value for given in call.keywords if given.arg == "key"]
    if keys and not _takes_the_name(keys[0]):
        return False
    match call:
        case ast.Call(func=ast.Name(id=name), args=[walked]) if name in _CHOOSING:
            return bool(keys) or _lists_names(walked) or _holder(walked) in named
        case ast.Call(func=ast.Attribute(value=walked, attr="sort"), args=[]):
            return bool(keys) or ast.unparse(walked) in named
    return False


def _holder(walked: ast.expr) -> str:
    """What is walked by `d`, `d.keys()` and `d.items()` alike."""
    match walked:
        case ast.Call(func=ast.Attribute(value=holder, attr="items" | "keys"), args=[]):
            return ast.unparse(holder)
    return ast.unparse(walked)


def _takes_the_name(key: ast.expr) -> bool:
    match key:
        case ast.Lambda(body=body):
            return _is_name(body)
        case ast.Call(args=[ast.Constant(value="name")]):
            return called(key) == "attrgetter"
    return False


def _lists_names(value: ast.expr) -> bool:
    return isinstance(value, _COMPREHENSIONS) and _is_name(value.elt)


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "name"
