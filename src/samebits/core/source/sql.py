"""SQL in the strings of a source file."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from samebits.core.source.statement import statements_in

_DRAWS = re.compile(
    r"(?:\b(?:select|order\s+by|where|values|limit|view)\b"
    r"|\bcreate\s+(?:temp\w*\s+)?(?:table|trigger)\b|\bupdate\s+\w+\s+set\b)"
    r".*?(?<![.\w])random(?:blob)?\s*\(",
    re.IGNORECASE | re.DOTALL,
)
_DRAWN_COLUMN = re.compile(
    r"[(,]\s*(\w+)\s[^,;]*?\bdefault\s*\([^,;]*?(?<![.\w])random(?:blob)?\s*\(", re.IGNORECASE
)


def draws_in_sql(file: str | None) -> bool:
    """Whether a string of the file, of one line or several, is SQL that calls RANDOM().

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    return any(_DRAWS.search(text) is not None for text in _strings(file))


def drawn_order_in_sql(file: str | None) -> str:
    """The column by which a query of the file orders rows, and which each row draws at random.

    Args:
        file: The source file; nothing is found in one that cannot be read.

    Returns:
        "" where there is none, or several.
    """
    texts = list(_strings(file))
    drawn = {name for text in texts for name in _DRAWN_COLUMN.findall(text)}
    ordered = {
        name
        for name in drawn
        if any(re.search(rf"\border\s+by\s+(?:\w+\.)?{name}\b", text, re.I) for text in texts)
    }
    return ordered.pop() if len(ordered) == 1 else ""


def _strings(file: str | None) -> Iterator[str]:
    for statement in statements_in(file):
        for node in statement.expressions():
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
