"""Settings by which a library stops or saves after a time in place of a number of steps."""

from __future__ import annotations

import ast

from samebits.core.source.statement import statements_in

_SETTINGS = frozenset({"max_time", "train_time_interval"})
"""Keywords of Lightning's Trainer and ModelCheckpoint."""


def lines_that_set_a_time(file: str | None) -> tuple[int, ...]:
    """The lines of a file that give such a setting, in order.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    nodes = (node for statement in statements_in(file) for node in statement.expressions())
    calls = (node for node in nodes if isinstance(node, ast.Call))
    found = {kw.value.lineno for call in calls for kw in call.keywords if sets_a_time(kw)}
    return tuple(sorted(found))


def sets_a_time(keyword: ast.keyword) -> bool:
    """Whether an argument of a call is such a setting, and not None."""
    is_none = isinstance(keyword.value, ast.Constant) and keyword.value.value is None
    return keyword.arg in _SETTINGS and not is_none
