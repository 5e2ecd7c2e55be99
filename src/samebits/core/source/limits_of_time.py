"""Settings by which a library stops or saves after a time in place of a number of steps."""

from __future__ import annotations

import ast

from samebits.core.source.statement import Statement, statements_in

_SETTINGS = frozenset({"max_time", "train_time_interval"})
"""Keywords of Lightning's Trainer and ModelCheckpoint; Transformers' generate() has the first."""


def lines_that_set_a_time(file: str | None) -> tuple[int, ...]:
    """The lines of a file that give such a setting, in order.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    found = (keyword for statement in statements_in(file) for keyword in times_set(statement))
    return tuple(sorted({keyword.value.lineno for keyword in found}))


def times_set(statement: Statement) -> list[ast.keyword]:
    """Such settings in the calls of a statement; not those that are None."""
    calls = (node for node in statement.expressions() if isinstance(node, ast.Call))
    given = (keyword for call in calls for keyword in call.keywords if keyword.arg in _SETTINGS)
    return [one for one in given if not _is_none(one.value)]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
