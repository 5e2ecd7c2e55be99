"""Where a class stores an attribute of its instances."""

from __future__ import annotations

import ast

from samebits.core.source.statement import statements_in


def line_that_stores(file: str | None, kind: str, attribute: str) -> int | None:
    """The line of `self.attribute = …` in a class.

    Args:
        file: A source file; nothing is found in one that cannot be read.
        kind: The class's name.
        attribute: The attribute's name.

    Returns:
        None where there is no such line, or where there are several.
    """
    lines = {
        target.lineno
        for statement in statements_in(file)
        if isinstance(statement.node, ast.ClassDef) and statement.node.name == kind
        for node in ast.walk(statement.node)
        if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Attribute) and target.attr == attribute
    }
    return lines.pop() if len(lines) == 1 else None
