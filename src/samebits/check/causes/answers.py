"""Whether something is ready yet: lines that ask, and whose answer decides what is computed."""

from __future__ import annotations

import ast

from samebits.check.causes.evidence import Evidence
from samebits.check.causes.writing.only_printed import is_only_printed
from samebits.check.diff.ledger_pairs import LedgerPair
from samebits.core.source.statement import (
    Statement,
    called,
    enclosing_statements,
    scope_around,
)

_WAITING = frozenset({"sleep", "wait", "join", "print", "update", "refresh"})
_TAKING = frozenset({"get", "get_nowait", "recv", "pop", "popleft"})
_LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Try, ast.Raise)
_RAISING = ("get_nowait", "put_nowait")


def answered_otherwise(evidence: Evidence) -> LedgerPair | None:
    """The first line that asked whether something was ready, and was told something else in run B.

    Args:
        evidence: What both runs have noted up to where they diverge.

    Returns:
        None where there is none, or where nothing goes by the answers: a loop that does nothing but
        ask until it is ready comes to the same in the end.
    """
    asked = (entry for entry in evidence.between if _is_answer(entry) and entry.changed)
    return next((entry for entry in asked if _decides(entry)), None)


def _is_answer(entry: LedgerPair) -> bool:
    return entry.row.source == "readiness"


def _decides(entry: LedgerPair) -> bool:
    if entry.place is None or is_only_printed(*entry.place):
        return False
    file, _ = entry.place
    statements = enclosing_statements(*entry.place)
    if not statements or not _asks(statements[-1], entry.row.detail.rpartition(".")[2]):
        return False  # what the line calls has asked, for its own work
    around = [statement.node for statement in statements]
    if isinstance(around[-1], ast.While):
        # How often a loop came round says nothing by itself, unless it gives something each time.
        return gives_each_time(around[-1])
    if isinstance(around[-1], ast.Assert):
        return False
    if isinstance(around[-1], ast.If):
        branches = [*around[-1].body, *around[-1].orelse]
        if all(_only_tells(file, node) for node in branches):
            return False
    loops = [node for node in around if isinstance(node, ast.While)]
    if loops and all(map(_only_waits, loops[-1].body)):
        return False
    return not (entry.row.detail.endswith(_RAISING) and loops and _asks_again(around, loops[-1]))


def gives_each_time(loop: ast.AST) -> bool:
    """Whether a generator's loop yields in each round, and not what it waits for."""
    if not isinstance(loop, ast.While) or any(called(node) in _TAKING for node in ast.walk(loop)):
        return False
    for node in loop.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield):
            return True
        if any(isinstance(part, _LEAVING) for part in ast.walk(node)):
            return False
    return False


def _only_tells(file: str, node: ast.stmt) -> bool:
    """Whether a statement says something, counts for nobody but print, or ends with an error."""
    if isinstance(node, ast.Raise | ast.Pass):
        return True
    return is_only_printed(file, node.lineno) or _counts_for_nobody(file, node)


def _counts_for_nobody(file: str, node: ast.stmt) -> bool:
    found = scope_around(file, node.lineno)
    if (
        found is None
        or not isinstance(node, ast.AugAssign)
        or not isinstance(node.target, ast.Name)
    ):
        return False
    if not isinstance(found[0], ast.FunctionDef | ast.AsyncFunctionDef):
        return False  # others may read what a module or a class holds
    name = node.target.id
    return not any(
        (isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load))
        or (isinstance(part, ast.Global | ast.Nonlocal) and name in part.names)
        for part in ast.walk(found[0])
    )


def _asks(statement: Statement, method: str) -> bool:
    return any(called(node) == method for node in statement.expressions())


def only_waits(loop: ast.AST) -> bool:
    """Whether a loop does nothing but wait until its condition holds, or end with an error."""
    if not isinstance(loop, ast.While) or loop.orelse:
        return False
    return all(_only_waits(node) or _only_raises(node) for node in loop.body)


def _only_raises(node: ast.stmt) -> bool:
    plain = isinstance(node, ast.If) and not node.orelse
    return plain and all(isinstance(one, ast.Raise) for one in getattr(node, "body", ()))


def _only_waits(node: ast.stmt) -> bool:
    """Whether a statement of a loop does nothing but let time pass, show it, or end the loop."""
    if isinstance(node, ast.Pass | ast.Break | ast.Continue):
        return True
    if isinstance(node, ast.Return):
        return node.value is None
    if isinstance(node, ast.If):
        return all(map(_only_waits, [*node.body, *node.orelse]))
    return isinstance(node, ast.Expr) and called(node.value) in _WAITING


def _asks_again(around: list[ast.stmt], loop: ast.While) -> bool:
    """Whether the loop goes on to its next round where a queue has raised `Empty` or `Full`."""
    for node in around:
        if isinstance(node, ast.Try) and node.lineno >= loop.lineno and node.handlers:
            last = loop.body[-1] is node and not node.orelse
            ends = (ast.Continue, ast.Pass) if last else (ast.Continue,)
            return all(isinstance(handler.body[-1], ends) for handler in node.handlers)
    return False
