"""Keys by which things are sorted or chosen, and what to add where several are equal by them."""

from __future__ import annotations

import ast

from samebits.core.source.order_tables import SORTING
from samebits.core.source.statement import Statement, called


def key_with_more(statement: Statement) -> str:
    """The key by which a statement sorts or chooses, with a name after it; "" where there is none.

    `sorted(nodes, key=lambda n: n.hops)` gives `key=lambda n: (n.hops, n.name)`.

    Args:
        statement: The statement.
    """
    inner = {
        id(node)
        for outer in statement.expressions()
        if isinstance(outer, ast.GeneratorExp | ast.ListComp | ast.SetComp | ast.DictComp)
        for node in ast.walk(outer)
    }
    for node in statement.expressions():
        if id(node) in inner or called(node) not in {*SORTING, "max", "min"}:
            continue
        for keyword in getattr(node, "keywords", ()):
            match keyword:
                case ast.keyword(
                    arg="key", value=ast.Lambda(args=ast.arguments(args=[one]), body=body)
                ):
                    return _with_a_name(statement, one.arg, body)
    return ""


def _with_a_name(statement: Statement, one: str, body: ast.expr) -> str:
    read = {
        part.attr
        for part in ast.walk(body)
        if isinstance(part, ast.Attribute)
        and isinstance(part.value, ast.Name)
        and part.value.id == one
    }
    if not read or "name" in read:
        return ""  # it is no object, or its name is in the key
    parts = body.elts if isinstance(body, ast.Tuple) else [body]
    texts = [statement.text_of(part) for part in parts]
    return f"key=lambda {one}: ({', '.join(texts)}, {one}.name)"
