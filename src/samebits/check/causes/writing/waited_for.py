"""Futures or tasks that a `wait` says to be done: a set, in the order of addresses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from samebits.core.source.elements import Elements
from samebits.core.source.statement import Statement, called

_LOOPS = (ast.While, ast.For, ast.AsyncFor)


class _Wait(NamedTuple):
    """A line `done, waiting = wait(given)`."""

    node: ast.Assign
    given: ast.expr

    @property
    def names(self) -> set[str]:
        """The names that it stores."""
        parts = ast.walk(self.node.targets[0])
        return {part.id for part in parts if isinstance(part, ast.Name)}

    @property
    def in_rounds(self) -> bool:
        """Whether it waits again for what was left: what it got is not under that name then."""
        return isinstance(self.given, ast.Name) and self.given.id in self.names


def in_the_order_of_submission(statement: Statement, walked: ast.expr) -> str | None:
    """What is done in the order of what the `wait` was given, as an expression.

    Args:
        statement: The line that walks what is done.
        walked: What it walks there.

    Returns:
        None where that is not what a `wait` of futures or of an event loop gave, or where what it
        was given has no name or no order.
    """
    for wait in _waits(statement, walked):
        if not isinstance(wait.given, ast.Name) or wait.in_rounds:
            return None
        if not Elements(statement.source).is_set(wait.given):
            return f"[future for future in {wait.given.id} if future in {ast.unparse(walked)}]"
    return None


def in_rounds(statement: Statement, walked: ast.expr) -> str | None:
    """Advice where what is walked was waited for again and again, until nothing was left.

    Args:
        statement: The line that walks what is done.
        walked: What it walks there.
    """
    for wait in _waits(statement, walked):
        if wait.in_rounds and isinstance(wait.given, ast.Name) and _is_repeated(statement, wait):
            tasks = _made_of(statement, wait.given.id) or "tasks"
            return (
                "Which of them are done in a round goes by how long each took as well, so sorting "
                f"each round is not enough. Keep all in a list, and walk that once nothing is left "
                f"to wait for: [task.result() for task in {tasks}]."
            )
    return None


def _waits(statement: Statement, walked: ast.expr) -> Iterator[_Wait]:
    """The lines above that store what is walked as the first of what a `wait` gives."""
    for node in statement.parsed.nodes(ast.Assign):
        assert isinstance(node, ast.Assign)
        if node.lineno >= statement.node.lineno or not isinstance(walked, ast.Name):
            continue
        target, call = node.targets[0], node.value
        first = target.elts[:1] if isinstance(target, ast.Tuple) else []
        if not (first and isinstance(first[0], ast.Name) and first[0].id == walked.id):
            continue
        call = call.value if isinstance(call, ast.Await) else call
        if isinstance(call, ast.Call) and called(call) == "wait" and call.args:
            yield _Wait(node, call.args[0])


def _is_repeated(statement: Statement, wait: _Wait) -> bool:
    """Whether the line stands in a loop."""
    loops = (loop for loop in statement.parsed.nodes(*_LOOPS) if isinstance(loop, _LOOPS))
    line = wait.node.lineno
    return any(loop.lineno < line <= (loop.end_lineno or line) for loop in loops)


def _made_of(statement: Statement, name: str) -> str | None:
    """The list that a set of that name was made of: `tasks` of `pending = set(tasks)`."""
    for node in statement.parsed.nodes(ast.Assign):
        assert isinstance(node, ast.Assign)
        pairs = [(node.targets[0], node.value)]
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
            pairs = [*zip(node.targets[0].elts, node.value.elts, strict=False)]
        for target, value in pairs:
            named = isinstance(target, ast.Name) and target.id == name
            if named and isinstance(value, ast.Call) and called(value) == "set" and value.args:
                return value.args[0].id if isinstance(value.args[0], ast.Name) else None
    return None
