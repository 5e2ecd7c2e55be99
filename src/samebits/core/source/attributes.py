"""Where a class stores an attribute of its instances, and what it does with it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.statement import called, statements_in

_POSITIONED = frozenset(
    {"__next__", "next", "read", "read1", "readinto", "readline", "readlines", "seek", "tell"}
)
"""Methods of a file that go by its position, or move it."""
_SAME_MEMORY = frozenset(
    {"as_tensor", "asanyarray", "asarray", "from_numpy", "numpy", "ravel", "reshape", "squeeze"}
    | {"transpose", "view"}
)
"""Calls that look at the memory that they are given, where they can."""
_MAKING = "__init__"


def line_that_stores(file: str | None, kind: str, attribute: str) -> int | None:
    """The line of `self.attribute = …` in a class.

    Args:
        file: A source file; nothing is found in one that cannot be read.
        kind: The class's name.
        attribute: The attribute's name.

    Returns:
        None where there is no such line, or where there are several.
    """
    lines = {
        target.lineno
        for found in _classes(file, kind)
        for node in ast.walk(found)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute) and target.attr == attribute
    }
    return lines.pop() if len(lines) == 1 else None


def reads_at_its_position(file: str | None, kind: str, attribute: str) -> bool:
    """Whether a class reads a file that it holds from where that stands, after it was made.

    `self.stream.read(4)` does, and so does whatever is given `self.stream` or goes through it;
    `os.pread(self.stream.fileno(), …)` does not.

    Args:
        file: A source file; false for one that cannot be read.
        kind: The class's name.
        attribute: The attribute that holds the file.
    """
    return any(
        _goes_by_position(node, attribute)
        for function in _later(file, kind)
        for node in ast.walk(function)
    )


def writes_into(file: str | None, kind: str, attribute: str) -> bool:
    """Whether a class changes an array that it holds in place, after it was made, or a part of it.

    A part that was taken out under another name, `window = np.asarray(self.trace[a:b])`, counts
    where that is changed; what `np.array` or `copy()` gives is a copy.

    Args:
        file: A source file; false for one that cannot be read.
        kind: The class's name.
        attribute: The attribute that holds the array.
    """
    for function in _later(file, kind):
        names = {
            target.id
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and _looks_at(node.value, attribute)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if any(_changes(node, attribute, names) for node in ast.walk(function)):
            return True
    return False


def _classes(file: str | None, kind: str) -> Iterator[ast.ClassDef]:
    for statement in statements_in(file):
        if isinstance(statement.node, ast.ClassDef) and statement.node.name == kind:
            yield statement.node


def _later(file: str | None, kind: str) -> Iterator[ast.FunctionDef]:
    """The methods of a class but the one that makes an instance."""
    for found in _classes(file, kind):
        for node in found.body:
            if isinstance(node, ast.FunctionDef) and node.name != _MAKING:
                yield node


def _is_it(node: ast.AST, attribute: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == attribute


def _mentions(node: ast.AST, attribute: str) -> bool:
    return any(_is_it(part, attribute) for part in ast.walk(node))


def _looks_at(node: ast.expr, attribute: str) -> bool:
    """Whether it is the array, a part of it, or a call that gives the same memory."""
    while isinstance(node, ast.Subscript):
        node = node.value
    if isinstance(node, ast.Call) and called(node) in _SAME_MEMORY:
        of = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return any(_looks_at(one, attribute) for one in (*of, *node.args))
    return _is_it(node, attribute)


def _goes_by_position(node: ast.AST, attribute: str) -> bool:
    if isinstance(node, ast.For | ast.comprehension):
        return _is_it(node.iter, attribute)
    if not isinstance(node, ast.Call):
        return False
    if isinstance(node.func, ast.Attribute) and _is_it(node.func.value, attribute):
        return node.func.attr in _POSITIONED
    return any(_is_it(one, attribute) for one in node.args)


def _changes(node: ast.AST, attribute: str, names: set[str]) -> bool:
    """Whether it stores into the array, or into a part of it that goes under one of some names."""
    if isinstance(node, ast.AugAssign):
        target: ast.expr = node.target
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
        target = node.targets[0]
    elif isinstance(node, ast.Call) and called(node) in ("fill", "sort", "put", "copyto"):
        target = node.func.value if isinstance(node.func, ast.Attribute) else node
    else:
        return False
    return _mentions(target, attribute) or any(
        isinstance(part, ast.Name) and part.id in names for part in ast.walk(target)
    )
