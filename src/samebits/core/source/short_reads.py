"""Lines that read what has arrived so far, which may be less than they ask for."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from samebits.core.source.statement import Statement, called, enclosing_statements, statements_in

_SOCKETS = frozenset({"socket.create_connection", "socket.socket", "socket.socketpair"})
_ACCEPTING = "accept"
_PIPES = frozenset({"os.openpty", "os.pipe", "pty.openpty"})
_STREAMS = frozenset({"stderr", "stdout"})
_COLLECTING = frozenset({"append", "extend", "update", "write"})


def lines_of_short_reads(file: str | None) -> tuple[int, ...]:
    """The lines that read a number of bytes off a socket or a pipe without a buffer, in order.

    These are `recv(n)` of a socket and `os.read(file, n)` of a pipe that the file makes, and
    `process.stdout.read(n)` where a process is started with `bufsize=0`. What is put together until
    there is enough of it does not count, nor does a single byte.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    statements = list(statements_in(file))
    calls = [
        (statement, node)
        for statement in statements
        for node in statement.expressions()
        if isinstance(node, ast.Call)
    ]
    unbuffered = any(_starts_without_a_buffer(node) for _, node in calls)
    sockets = set(_named(statements, _SOCKETS)) if not _sends_datagrams(statements) else set()
    pipes = set(_named(statements, _PIPES))
    found = (
        statement.node.lineno
        for statement, node in calls
        if _reads_what_is_there(statement, node, sockets, pipes, unbuffered=unbuffered)
        and not _goes_on(file, statement.node, node)
    )
    return tuple(sorted(set(found)))


def _named(statements: Sequence[Statement], makers: frozenset[str]) -> Iterator[str]:
    """What is stored, or bound by `with`, of calls that make one of these."""
    for statement in statements:
        node = statement.node
        if isinstance(node, ast.Assign) and _is_made_by(statement, node.value, makers):
            for target in node.targets:
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                yield from map(ast.unparse, parts)
        if isinstance(node, ast.With | ast.AsyncWith):
            for item in node.items:
                made = _is_made_by(statement, item.context_expr, makers)
                if item.optional_vars is not None and made:
                    yield ast.unparse(item.optional_vars)


def _is_made_by(statement: Statement, node: ast.expr, makers: frozenset[str]) -> bool:
    """Whether one of some functions is called; what a socket accepts is a socket."""
    if not isinstance(node, ast.Call):
        return False
    accepts = makers is _SOCKETS and called(node) == _ACCEPTING
    return accepts or statement.name_of(node.func) in makers


def _sends_datagrams(statements: Sequence[Statement]) -> bool:
    """Whether the file, whose text each statement knows, makes sockets of whole messages."""
    return bool(statements) and "SOCK_DGRAM" in statements[0].source


def _starts_without_a_buffer(node: ast.Call) -> bool:
    return called(node) == "Popen" and any(
        one.arg == "bufsize" and isinstance(one.value, ast.Constant) and one.value.value == 0
        for one in node.keywords
    )


def _reads_what_is_there(
    statement: Statement,
    node: ast.Call,
    sockets: set[str],
    pipes: set[str],
    *,
    unbuffered: bool,
) -> bool:
    if not isinstance(node.func, ast.Attribute) or not node.args or node.keywords:
        return False
    of, number = ast.unparse(node.func.value), node.args[-1]
    if isinstance(number, ast.Constant) and number.value == 1:
        return False
    if node.func.attr == "recv":
        return len(node.args) == 1 and of in sockets  # a further number asks for all of it
    if node.func.attr != "read":
        return False
    if statement.name_of(node.func) == "os.read":
        return ast.unparse(node.args[0]) in pipes
    stream = node.func.value
    return unbuffered and isinstance(stream, ast.Attribute) and stream.attr in _STREAMS


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
    """Names that a statement stores; of a loop only what its condition stores."""
    within = statement.test if isinstance(statement, ast.While | ast.If) else statement
    for part in ast.walk(within):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def _collects(part: ast.AST, names: set[str]) -> bool:
    """Whether it adds one of some names to something."""
    if isinstance(part, ast.AugAssign):
        return _holds(part.value, names)
    if isinstance(part, ast.Assign) and isinstance(part.value, ast.BinOp):
        return _holds(part.value, names)
    if isinstance(part, ast.Call) and called(part) in _COLLECTING:
        return any(_holds(one, names) for one in part.args)
    return False


def _holds(node: ast.expr, names: set[str]) -> bool:
    """Whether an expression is one of some names, or a list or a sum of them."""
    if isinstance(node, ast.List | ast.Tuple):
        return any(_holds(one, names) for one in node.elts)
    if isinstance(node, ast.BinOp):
        return _holds(node.left, names) or _holds(node.right, names)
    return isinstance(node, ast.Name) and node.id in names
