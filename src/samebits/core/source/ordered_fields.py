"""Fields by which the instances of a dataclass are ordered."""

from __future__ import annotations

import ast
from typing import NamedTuple

from samebits.core.source.statement import called, statements_in


class OrderedField(NamedTuple):
    """A field that takes part in comparisons.

    Attributes:
        file: The source file.
        line: The field's line.
        kind: The class.
        name: The field.
    """

    file: str
    line: int
    kind: str
    name: str


def ordered_fields(file: str) -> list[OrderedField]:
    """The fields of classes under `@dataclass(order=True)` that are compared, in order.

    Args:
        file: The source file; nothing is found in one that cannot be read.
    """
    return [
        OrderedField(file, field.lineno, statement.node.name, field.target.id)
        for statement in statements_in(file)
        if isinstance(statement.node, ast.ClassDef) and _is_ordered(statement.node)
        for field in statement.node.body
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and not _is_left_out(field)
    ]


def _is_ordered(kind: ast.ClassDef) -> bool:
    return any(
        isinstance(one, ast.Call) and called(one) == "dataclass" and _sets(one, "order", True)
        for one in kind.decorator_list
    )


def _is_left_out(field: ast.AnnAssign) -> bool:
    value = field.value
    if "ClassVar" in ast.unparse(field.annotation):
        return True
    return (
        isinstance(value, ast.Call) and called(value) == "field" and _sets(value, "compare", False)
    )


def _sets(call: ast.Call, name: str, value: bool) -> bool:
    return any(
        one.arg == name and isinstance(one.value, ast.Constant) and one.value.value is value
        for one in call.keywords
    )
