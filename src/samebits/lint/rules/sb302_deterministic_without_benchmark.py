"""SB302: cudnn.deterministic without cudnn.benchmark = False."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.module import Module, is_constant
from samebits.lint.rule import Report, Rule

_DETERMINISTIC = "torch.backends.cudnn.deterministic"


def check(module: Module, node: ast.Assign, name: str) -> Iterator[Report]:
    if not is_constant(node.value, True):
        return
    for target in node.targets:
        if module.names.qualified(target) == _DETERMINISTIC:
            yield Report(
                node=node,
                message="cudnn.deterministic leaves the choice of the algorithm to "
                "cudnn.benchmark, which nothing in this program turns off",
                remedy="write torch.backends.cudnn.benchmark = False as well",
                unless=frozenset({"benchmark-off"}),
            )


RULE = Rule(
    code="SB302",
    name="deterministic-without-benchmark",
    summary="`cudnn.deterministic` is set and `cudnn.benchmark` is left open",
    explanation="""
cudnn.deterministic = True keeps cuDNN to algorithms that repeat themselves; which of them is taken
is for cudnn.benchmark to say. It is off unless something turned it on, and libraries do: say what
you mean next to it.
""",
    bad="""\
import torch

⟦torch.backends.cudnn.deterministic = True⟧
""",
    good="""\
import torch

torch.backends.cudnn.deterministic = True
torch.backends.cudnn.benchmark = False
""",
    check=check,
    nodes=(ast.Assign,),
)
