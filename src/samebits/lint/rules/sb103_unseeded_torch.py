"""SB103: torch's default generator, never seeded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, has_unpacking
from samebits.core.source.generators import TORCH_DRAWS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if argument(node, "generator") is not None or has_unpacking(node):
        return
    what = "initialises its weights" if name[9:10].isupper() else "draws"
    yield Objection(
        node=node,
        message=f"{name}() {what} from a generator that nothing in this program seeds",
        remedy="call torch.manual_seed(SEED) first, or samebits.seed_everything(SEED) for all",
        when=frozenset({"entry"}),
        unless=frozenset({"seeds:any"}),
    )


RULE = Rule(
    code="SB103",
    name="unseeded-torch",
    summary="torch draws random numbers and is never seeded",
    explanation="""
torch.rand, dropout, and above all the initial weights of every layer come from torch's default
generator, which has another seed in each process. Call torch.manual_seed once, before the first
layer is made. The first place of a file is reported.
""",
    bad="""\
import torch

layer = ⟦torch.nn.Linear(4, 2)⟧
print(layer.weight)
""",
    good="""\
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(4, 2)
print(layer.weight)
""",
    check=check,
    calls=TORCH_DRAWS,
    once=True,
)
