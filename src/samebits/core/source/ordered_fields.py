"""Fields by which the instances of a dataclass are ordered, and who orders and reads them."""

from __future__ import annotations

import ast
from typing import NamedTuple

from samebits.core.source.statement import called, statements_in

_ORDERING = frozenset(
    {"heapify", "heappush", "heappushpop", "heapreplace", "max", "merge", "min", "nlargest"}
    | {"nsmallest", "put", "sort", "sorted"}
)


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


def orders_without_a_key(file: str) -> bool:
    """Whether a file calls what compares things with each other, and gives it no key.

    Args:
        file: The source file; false for one that cannot be read.
    """
    return any(
        isinstance(node, ast.Call)
        and called(node) in _ORDERING
        and not any(one.arg == "key" for one in node.keywords)
        for statement in statements_in(file)
        for node in statement.expressions()
    )


def lines_that_read(file: str, attribute: str) -> tuple[int, ...]:
    """The lines that read an attribute of this name, in order.

    Args:
        file: The source file; nothing is found in one that cannot be read.
        attribute: The attribute's name.
    """
    found = (
        statement.node.lineno
        for statement in statements_in(file)
        for node in statement.expressions()
        if isinstance(node, ast.Attribute)
        and node.attr == attribute
        and isinstance(node.ctx, ast.Load)
    )
    return tuple(sorted(set(found)))
