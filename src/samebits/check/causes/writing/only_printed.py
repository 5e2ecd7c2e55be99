"""Whether a number that a line reads, such as the time, goes nowhere but into printed text."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.statement import Statement, called, scope_around

_PRINTING = frozenset(
    {
        *("print", "write", "log", "debug", "info", "warning", "error", "critical"),
        *("set_postfix", "set_postfix_str", "set_description", "add_scalar", "add_scalars"),
    }
)


def is_only_printed(file: str | None, line: int | None) -> bool:
    """Whether text that is printed is made of what a line reads, and nothing else.

    It follows plain names within the function that the line stands in, and lists under such names
    that it is appended to. What goes into an attribute, is returned, compared, or handed to any
    other function, may be used for more.

    Args:
        file: The source file.
        line: A line that reads something and keeps it under plain names, or prints it.
    """
    found = scope_around(file, line)
    if found is None or line is None:
        return False
    scope, reading = found
    if _prints(reading):
        return True
    waiting = _kept(reading.node, called_for=True)
    if waiting is None:
        return False
    statements = [
        Statement(node, reading.source)
        for node in ast.walk(scope)
        if isinstance(node, ast.stmt) and node is not scope
    ]
    followed: set[str] = set()
    printed = False
    while waiting:
        name = waiting.pop()
        followed.add(name)
        for statement in (one for one in statements if _reads(one, name)):
            if _prints(statement):
                printed = True
                continue
            kept = _kept(statement.node)
            if kept is None or isinstance(statement.node, ast.FunctionDef):
                return False
            waiting |= kept - followed
    return printed


def _reads(statement: Statement, name: str) -> bool:
    nodes: Iterator[ast.AST] = iter(statement.expressions())
    if isinstance(statement.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        nodes = ast.walk(statement.node)  # what it reads from outside, it may do anything with
    if isinstance(statement.node, ast.AugAssign) and isinstance(statement.node.target, ast.Name):
        nodes = ast.walk(statement.node.value)
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in nodes
    )


def _prints(statement: Statement) -> bool:
    node = statement.node
    return isinstance(node, ast.Expr) and called(node.value) in _PRINTING


def _kept(node: ast.stmt, *, called_for: bool = False) -> set[str] | None:
    """Plain names that a statement stores what it reads under; None where it does more.

    Args:
        node: The statement.
        called_for: Of `a, b = f(), 0` only those whose value is called for.
    """
    if isinstance(node, ast.Expr) and called(node.value) == "append":
        method = node.value.func if isinstance(node.value, ast.Call) else None
        holder = method.value if isinstance(method, ast.Attribute) else None
        return {holder.id} if isinstance(holder, ast.Name) else None
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, ast.AnnAssign | ast.AugAssign):
        targets = [node.target]
    else:
        return None
    parts = [part for target in targets for part in getattr(target, "elts", [target])]
    values = getattr(node.value, "elts", [])
    if called_for and len(values) == len(parts):
        pairs = zip(parts, values, strict=True)
        parts = [part for part, value in pairs if any(map(called, ast.walk(value)))]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names if len(names) == len(parts) else None
