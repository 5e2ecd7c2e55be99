"""SQL in the strings of a source file."""

from __future__ import annotations

import ast
import re

from samebits.core.source.statement import statements_in

_DRAWS = re.compile(
    r"(?:\b(?:select|order\s+by|where|values|limit|view)\b"
    r"|\bcreate\s+(?:temp\w*\s+)?(?:table|trigger)\b|\bupdate\s+\w+\s+set\b)"
    r".*?(?<![.\w])random(?:blob)?\s*\(",
    re.IGNORECASE | re.DOTALL,
)


def draws_in_sql(file: str | None) -> bool:
    """Whether a string of the file, of one line or several, is SQL that calls RANDOM().

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    strings = (
        node.value
        for statement in statements_in(file)
        for node in statement.expressions()
        if isinstance(node, ast.Constant)
    )
    return any(isinstance(text, str) and _DRAWS.search(text) is not None for text in strings)
