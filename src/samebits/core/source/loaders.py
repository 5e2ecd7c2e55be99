"""Loaders that a source file makes, as far as their arguments say how batches come from workers."""

from __future__ import annotations

import ast

from samebits.core.source.statement import called, statements_in


def lines_out_of_order(file: str | None) -> tuple[int, ...]:
    """The lines of `in_order=False` for loaders, in order: batches come as workers finish them.

    Torch has the argument since version 2.6. One worker has no other to be slower than.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    found = (
        keyword.value.lineno
        for statement in statements_in(file)
        for node in statement.expressions()
        if isinstance(node, ast.Call) and (called(node) or "").endswith("DataLoader")
        for keyword in node.keywords
        if keyword.arg == "in_order" and _is(keyword, False) and not _has_one_worker(node)
    )
    return tuple(sorted(set(found)))


def _has_one_worker(call: ast.Call) -> bool:
    return any(one.arg == "num_workers" and (_is(one, 0) or _is(one, 1)) for one in call.keywords)


def _is(keyword: ast.keyword, value: object) -> bool:
    return isinstance(keyword.value, ast.Constant) and keyword.value.value is value
