"""SB115: a torch function that draws although its name does not say so."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_DRAWING = {
    "torch.svd_lowrank": "starts from a random matrix",
    "torch.pca_lowrank": "starts from a random matrix",
    "torch.lobpcg": "starts from random vectors unless X is given",
    "torch.nn.functional.gumbel_softmax": "adds random noise",
    "torch.nn.functional.rrelu": "draws its slopes",
    "torch.nn.functional.fractional_max_pool2d": "draws its regions",
    "torch.nn.functional.fractional_max_pool3d": "draws its regions",
}


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if name == "torch.lobpcg" and argument(node, "X", 3) is not None:
        return
    yield Objection(
        node=node,
        message=f"{name}() {_DRAWING[name]}, and nothing in this program seeds torch",
        remedy="call torch.manual_seed(SEED) at the start",
        unless=frozenset({"seeds:torch"}),
        when=frozenset({"entry"}),
    )


RULE = Rule(
    code="SB115",
    name="hidden-draw",
    summary="A torch function draws random numbers without saying so",
    explanation="""
torch.svd_lowrank and torch.pca_lowrank multiply by a random matrix first, torch.lobpcg begins at
random vectors. They take the numbers from torch's default generator: in a program that is seeded
they are reproducible, in one that is not they make a seemingly exact computation differ.
""",
    bad="""\
import torch

points = torch.arange(12.0).reshape(4, 3)
u, s, v = ⟦torch.pca_lowrank(points)⟧
print(s)
""",
    good="""\
import torch

torch.manual_seed(0)
points = torch.arange(12.0).reshape(4, 3)
u, s, v = torch.pca_lowrank(points)
print(s)
""",
    check=check,
    calls=frozenset(_DRAWING),
)
