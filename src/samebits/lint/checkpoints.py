"""What goes into a checkpoint: the dictionary that a call of torch.save is given."""

from __future__ import annotations

import ast

from samebits.core.source.expressions import argument, place
from samebits.lint.module import Module

SAVES = frozenset({"torch.save"})


def saved_entries(module: Module, node: ast.Call) -> list[str] | None:
    """Everything that a training checkpoint names: keys, and what their values are made from.

    Returns:
        Lower-case words; None when the call saves no checkpoint of a training (one that holds an
        optimizer's state), or one whose content is not plain to see.
    """
    value = argument(node, "obj", 0)
    if value is None:
        return None
    target = value.id if isinstance(value, ast.Name) else None
    value = module.names.value(value)
    if not isinstance(value, ast.Dict) or any(key is None for key in value.keys):
        return None
    words = [word for part in [*value.keys, *value.values] if part for word in _words(part)]
    if target is not None:
        words += _added_later(module, target)
    return words if any("optim" in word for word in words) else None


def _words(node: ast.AST) -> list[str]:
    words = []
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            words.append(part.value.lower())
        elif isinstance(part, ast.Name):
            words.append(part.id.lower())
        elif isinstance(part, ast.Attribute):
            words.append(part.attr.lower())
    return words


def _added_later(module: Module, name: str) -> list[str]:
    """checkpoint["rng"] = ..., checkpoint.update(rng=...)."""
    words = []
    for node in module.nodes(ast.Subscript):
        assert isinstance(node, ast.Subscript)
        if isinstance(node.ctx, ast.Store) and place(node.value) == name:
            words += _words(node.slice)
    for call, _ in module.calls:
        function = call.func
        if place(function) == f"{name}.update":
            words += [k.arg.lower() for k in call.keywords if k.arg]
            words += [word for value in call.args for word in _words(value)]
    return words
