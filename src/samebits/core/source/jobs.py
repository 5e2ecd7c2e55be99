"""Estimators that a source file has told to work in several threads or processes: `n_jobs`."""

from __future__ import annotations

import ast

from samebits.core.source.statement import statement_at, statements_in


def takes_jobs(file: str | None, line: int | None) -> bool:
    """Whether a line calls a method of what was made with `n_jobs` in the same file.

    Args:
        file: The source file; false for one that cannot be read.
        line: A line of it.
    """
    statement = statement_at(file, line)
    if statement is None:
        return False
    receivers = {
        ast.unparse(node.func.value)
        for node in statement.expressions()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
    }
    return any(
        ast.unparse(target) in receivers
        for one in statements_in(file)
        if isinstance(one.node, ast.Assign) and _is_given_jobs(one.node.value)
        for target in one.node.targets
    )


def _is_given_jobs(node: ast.expr) -> bool:
    calls = (part for part in ast.walk(node) if isinstance(part, ast.Call))
    return any(keyword.arg == "n_jobs" for call in calls for keyword in call.keywords)
