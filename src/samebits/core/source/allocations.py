"""Lines that hand out memory which nothing has been written to."""

from __future__ import annotations

import ast

from samebits.core.source.statement import called, statement_at

_EMPTY = frozenset(
    {"create_string_buffer", "empty", "empty_like", "empty_strided", "malloc", "ndarray"}
    | {"new_empty", "new_empty_strided", "resize_"}
)


def hands_out_memory(file: str | None, line: int | None) -> bool:
    """Whether a line calls what gives memory as it is: `np.empty`, `torch.empty`, `where=`.

    A function of NumPy that is told where to compute leaves the rest of what it returns unwritten,
    unless it is told what to write into.

    Args:
        file: The source file; false for one that cannot be read.
        line: The line.
    """
    statement = statement_at(file, line)
    if statement is None:
        return False
    for node in statement.expressions():
        if isinstance(node, ast.Call):
            keywords = {keyword.arg for keyword in node.keywords}
            if called(node) in _EMPTY or ("where" in keywords and "out" not in keywords):
                return True
    return False
