"""Whether a number that a line reads, such as the time, goes nowhere but into printed text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterator

from samebits.core.catalog.measurements import is_named_for_time
from samebits.core.source.statement import Statement, called, scope_around

_PRINTING = frozenset(
    {
        *("print", "write", "log", "debug", "info", "warning", "error", "critical"),
        *("set_postfix", "set_postfix_str", "set_description", "add_scalar", "add_scalars"),
    }
)


_CLOCKS = frozenset(
    {
        *("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns"),
        *("process_time", "thread_time", "now", "utcnow", "today", "ctime", "strftime"),
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
    return _is_only_printed(file, line, lambda statement: frozenset())


def only_tells_the_time(file: str | None, line: int | None) -> bool:
    """The same of the time, where it may go into formatted text and under names of times as well.

    So do most scripts with it: `f"runs/{datetime.now()}"`, `{"seconds": time.time() - began}`. Text
    may be used for anything, so that this is less than `is_only_printed`.

    Args:
        file: The source file.
        line: A line that asks for the time.
    """
    return _is_only_printed(file, line, _told)


def prints(node: ast.stmt) -> bool:
    """Whether a statement does nothing but print, log, or write text."""
    return isinstance(node, ast.Expr) and called(node.value) in _PRINTING


def _is_only_printed(
    file: str | None, line: int | None, told: Callable[[Statement], Collection[int]]
) -> bool:
    """The same, where parts of a statement, by their `id`, count as printed."""
    found = scope_around(file, line)
    if found is None or line is None:
        return False
    scope, reading = found
    if prints(reading.node):
        return not any(isinstance(node, ast.NamedExpr) for node in reading.expressions())
    if parts := told(reading):
        asking = [node for node in reading.expressions() if called(node) in _CLOCKS]
        if asking and all(id(node) in parts for node in asking):
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
            if prints(statement.node) or not _reads(statement, name, but=told(statement)):
                printed = True
                continue
            kept = _kept(statement.node)
            if kept is None or isinstance(statement.node, ast.FunctionDef):
                return False
            waiting |= kept - followed
    return printed


def _told(statement: Statement) -> Collection[int]:
    """Parts of a statement that are formatted text, or values under names of times."""
    inside: set[int] = set()
    for node in statement.expressions():
        parts: list[ast.expr] = [node] if isinstance(node, ast.JoinedStr) else []
        if called(node) in ("strftime", "isoformat"):
            parts.append(node)
        if isinstance(node, ast.Dict):
            pairs = zip(node.keys, node.values, strict=True)
            parts += [value for key, value in pairs if _names_a_time(getattr(key, "value", None))]
        if isinstance(node, ast.Call):
            parts += [given.value for given in node.keywords if _names_a_time(given.arg)]
        inside.update(id(within) for part in parts for within in ast.walk(part))
    return inside


def _names_a_time(name: object) -> bool:
    return isinstance(name, str) and is_named_for_time(name)


def _reads(statement: Statement, name: str, *, but: Collection[int] = frozenset()) -> bool:
    nodes: Iterator[ast.AST] = iter(statement.expressions())
    if isinstance(statement.node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        nodes = ast.walk(statement.node)  # what it reads from outside, it may do anything with
    if isinstance(statement.node, ast.AugAssign) and isinstance(statement.node.target, ast.Name):
        nodes = ast.walk(statement.node.value)
    return any(
        isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        for node in nodes
        if id(node) not in but
    )


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
