"""Questions about one expression, answered by what stands in it."""

from __future__ import annotations

import ast
from typing import TypeGuard


def called(node: ast.AST) -> str:
    """Last name of the function that an expression calls; "" when it is no call of a name."""
    if not isinstance(node, ast.Call):
        return ""
    if isinstance(node.func, ast.Attribute):
        return node.func.attr
    return node.func.id if isinstance(node.func, ast.Name) else ""


def root(node: ast.expr) -> str:
    """The name that a dotted name begins with."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


SET_OPERATORS = ast.BitOr | ast.BitAnd | ast.Sub | ast.BitXor
"""What combines sets to a set."""


def makes_set(node: ast.AST) -> bool:
    """Whether an expression is a set in braces, or calls `set` or `frozenset`."""
    if isinstance(node, ast.Set | ast.SetComp):
        return True
    # A method of that name is something else: an event's sets it.
    return isinstance(node, ast.Call) and place(node.func) in ("set", "frozenset")


def is_view_of_keys(node: ast.AST) -> bool:
    """Whether an expression asks a dict for its keys or items: combined by `|` these make a set."""
    return isinstance(node, ast.Call) and called(node) in ("keys", "items") and not node.args


def argument(call: ast.Call, name: str, position: int | None = None) -> ast.expr | None:
    """An argument of a call by keyword or position; None when it is not given."""
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if position is not None and position < len(call.args):
        if any(isinstance(a, ast.Starred) for a in call.args[: position + 1]):
            return None
        return call.args[position]
    return None


def has_unpacking(call: ast.Call) -> bool:
    """Whether a call passes *args or **kwargs, which may hold anything."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


def is_constant(node: ast.AST | None, *values: object) -> TypeGuard[ast.Constant]:
    """Whether a node is one of some literal values, of the same type."""
    return isinstance(node, ast.Constant) and any(
        type(node.value) is type(value) and node.value == value for value in values
    )


def root_name(node: ast.AST) -> str | None:
    """The name at the start of a chain of attributes, calls and subscripts."""
    while isinstance(node, ast.Attribute | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def place(node: ast.AST) -> str:
    """A node that names something, as text to compare: `self.rng`; "" for anything else."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([node.id, *reversed(parts)])
