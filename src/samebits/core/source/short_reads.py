"""Lines that read what has arrived so far, which may be less than they ask for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.statement import called, enclosing_statements, statements_in

_PIPES = frozenset({"stderr", "stdout"})


def lines_of_short_reads(file: str | None) -> tuple[int, ...]:
    """The lines that read a number of bytes off a socket or a pipe without a buffer, in order.

    These are `recv(n)`, `read1(n)`, `os.read(file, n)`, and `process.stdout.read(n)` where the
    process was started with `bufsize=0`. What is read until there is enough of it does not count.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    statements = list(statements_in(file))
    nodes = [node for one in statements for node in one.expressions()]
    unbuffered = any(map(_starts_without_a_buffer, nodes))
    found = (
        statement.node.lineno
        for statement in statements
        for node in statement.expressions()
        if isinstance(node, ast.Call)
        and _reads_what_is_there(node, unbuffered=unbuffered)
        and not _goes_on(file, statement.node, node)
    )
    return tuple(sorted(set(found)))


def _starts_without_a_buffer(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and called(node) == "Popen"
        and any(
            one.arg == "bufsize" and isinstance(one.value, ast.Constant) and one.value.value == 0
            for one in node.keywords
        )
    )


def _reads_what_is_there(node: ast.Call, *, unbuffered: bool) -> bool:
    if not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    of = node.func.value
    if node.func.attr == "recv":
        return len(node.args) == 1  # another number asks for all of it
    if node.func.attr == "read1":
        return True
    if node.func.attr != "read":
        return False
    if isinstance(of, ast.Name) and of.id == "os":
        return True
    return unbuffered and isinstance(of, ast.Attribute) and of.attr in _PIPES


def _goes_on(file: str | None, statement: ast.stmt, node: ast.Call) -> bool:
    """Whether what is read is put together until there is enough of it."""
    if any(isinstance(part, ast.BinOp) for one in node.args for part in ast.walk(one)):
        return True  # what is left of a number
    names = set(_stored(statement))
    if isinstance(statement, ast.AugAssign) or not names:
        return True
    around = enclosing_statements(file, statement.lineno)
    loops = [one.node for one in around if isinstance(one.node, ast.For | ast.While)]
    return any(_collects(part, names) for loop in loops for part in ast.walk(loop))


def _stored(statement: ast.stmt) -> Iterator[str]:
    for part in ast.walk(statement):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _collects(part: ast.AST, names: set[str]) -> bool:
    """Whether it adds one of some names to something."""
    if isinstance(part, ast.AugAssign):
        given: list[ast.expr] = [part.value]
    elif isinstance(part, ast.Call) and called(part) in ("append", "extend", "write"):
        given = part.args
    else:
        return False
    return any(isinstance(one, ast.Name) and one.id in names for one in given)
