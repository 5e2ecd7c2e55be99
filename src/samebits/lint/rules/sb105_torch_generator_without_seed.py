"""SB105: a torch.Generator that nobody seeds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import place
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_SEEDING = ("manual_seed", "set_state")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    parent = module.tree.parents[node]
    if isinstance(parent, ast.Attribute) and parent.attr in _SEEDING:
        return
    if isinstance(parent, ast.Assign):
        targets = {place(target) for target in parent.targets} - {""}
        if not targets or _seeded(module, targets):
            return
    elif isinstance(parent, ast.Return | ast.AnnAssign | ast.NamedExpr | ast.withitem):
        return
    yield Objection(
        node=node,
        message="this torch.Generator is never seeded: torch.manual_seed does not reach it",
        remedy=f"write {_spelled(node)}.manual_seed(SEED)",
    )


def _seeded(module: Module, targets: set[str]) -> bool:
    """Whether any of some variables is seeded, or handed to a function that may seed it."""
    return not targets.isdisjoint(module.handed_on) or any(
        not targets.isdisjoint(module.methods_called.get(method, ())) for method in _SEEDING
    )


def _spelled(node: ast.Call) -> str:
    return f"{place(node.func)}({', '.join('...' for _ in node.args[:1])})"


RULE = Rule(
    code="SB105",
    name="torch-generator-without-seed",
    summary="A `torch.Generator` is made and never seeded",
    explanation="""
A new torch.Generator begins at a number that is built into torch, not at the program's seed: it
ignores torch.manual_seed, every generator made so draws the same numbers as every other, and
changing the program's seed changes nothing. `generator.seed()` is worse: it takes one from the
operating system. Seed it: `torch.Generator().manual_seed(SEED)`.
""",
    bad="""\
import torch

torch.manual_seed(0)
generator = ⟦torch.Generator()⟧
print(torch.rand(3, generator=generator))
""",
    good="""\
import torch

generator = torch.Generator().manual_seed(0)
print(torch.rand(3, generator=generator))
""",
    check=check,
    calls=frozenset({"torch.Generator"}),
)
