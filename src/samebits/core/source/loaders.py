"""Loaders that a source file makes, as far as their arguments say how batches come from workers."""

from __future__ import annotations

import ast

from samebits.core.source.statement import called, statements_in


def lines_out_of_order(file: str | None) -> tuple[int, ...]:
    """The lines that make a loader which gives batches as its workers finish them, in order.

    That is `in_order=False`, which torch has since version 2.6.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    found = (
        keyword.value.lineno
        for statement in statements_in(file)
        for node in statement.expressions()
        if isinstance(node, ast.Call) and (called(node) or "").endswith("DataLoader")
        for keyword in node.keywords
        if keyword.arg == "in_order"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is False
    )
    return tuple(sorted(set(found)))
