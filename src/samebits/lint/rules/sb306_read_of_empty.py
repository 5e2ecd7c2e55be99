"""SB306: memory read before anything was written to it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_MAKERS = frozenset(
    f"{library}.{name}" for library in ("torch", "numpy") for name in ("empty", "empty_like")
)
_READING = frozenset(
    [
        "sum",
        "mean",
        "abs",
        "exp",
        "log",
        "sqrt",
        "item",
        "tolist",
        "clone",
        "double",
        "float",
        "numpy",
        "norm",
    ]
)


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if any(is_constant(value, 0) for value in node.args) or is_constant(
        argument(node, "device"), "meta"
    ):
        return
    parent = module.tree.parents[node]
    if _reads(parent, node):
        yield _report(node, name)
    elif isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        target = parent.targets[0]
        if isinstance(target, ast.Name) and _read_next(module, parent, target.id):
            yield _report(node, name)


def _report(node: ast.Call, name: str) -> Objection:
    zeros = name.replace("empty", "zeros")
    return Objection(
        node=node,
        message=f"what {name}() gives is read before anything is written to it",
        remedy=f"write {zeros}(), or fill it first",
    )


def _reads(parent: ast.AST, node: ast.AST) -> bool:
    """Whether a node's own parent takes its values."""
    if isinstance(parent, ast.BinOp | ast.UnaryOp):
        return True
    if isinstance(parent, ast.AugAssign):
        return True
    return isinstance(parent, ast.Attribute) and parent.attr in _READING


def _read_next(module: Module, statement: ast.Assign, name: str) -> bool:
    """Whether the first statement after an assignment that speaks of the variable reads it."""
    holder = module.tree.parents[statement]
    for block in ("body", "orelse", "finalbody"):
        statements = getattr(holder, block, None)
        if isinstance(statements, list) and statement in statements:
            for later in statements[statements.index(statement) + 1 :]:
                mentions = [
                    part
                    for part in ast.walk(later)
                    if isinstance(part, ast.Name) and part.id == name
                ]
                if mentions:
                    return _all_read(module, later, mentions)
            return False
    return False


def _all_read(module: Module, statement: ast.stmt, mentions: list[ast.Name]) -> bool:
    if isinstance(statement, ast.AugAssign) and statement.target is mentions[0]:
        return True
    if not isinstance(statement, ast.Assign | ast.Return | ast.Expr):
        return False
    return all(isinstance(m.ctx, ast.Load) and _reads(module.tree.parents[m], m) for m in mentions)


RULE = Rule(
    code="SB306",
    name="read-of-empty",
    summary="`torch.empty` is read before it is written",
    explanation="""
torch.empty and numpy.empty give memory as it was left by whoever had it before. Adding to it, or
summing it up, computes with those leftovers; often they are zeros, and the mistake sleeps.
""",
    bad="""\
import torch

total = ⟦torch.empty(3)⟧
total += torch.ones(3)
print(total)
""",
    good="""\
import torch

total = torch.zeros(3)
total += torch.ones(3)
print(total)
""",
    check=check,
    calls=_MAKERS,
)
