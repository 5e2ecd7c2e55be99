"""SB302: cudnn.deterministic while cudnn.benchmark is on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_DETERMINISTIC = "torch.backends.cudnn.deterministic"


def check(module: Module, node: ast.Assign, name: str) -> Iterator[Objection]:
    if not is_constant(node.value, True):
        return
    for target in node.targets:
        if module.names.qualified(target) == _DETERMINISTIC:
            yield Objection(
                node=node,
                message="cudnn.deterministic leaves the choice of the algorithm to "
                "cudnn.benchmark, which this program turns on",
                remedy="set torch.backends.cudnn.benchmark = False",
                when=frozenset({"benchmark-on"}),
                unless=frozenset({"benchmark-off"}),
            )


RULE = Rule(
    code="SB302",
    name="deterministic-without-benchmark",
    summary="`cudnn.deterministic` is set while `cudnn.benchmark` is on",
    explanation="""
cudnn.deterministic = True keeps cuDNN to algorithms that repeat themselves; which of them is taken
is for cudnn.benchmark to say. It is off by default. Where it is on, cuDNN times the algorithms that
are left and takes the fastest, which may be another one in the next run.
""",
    bad="""\
import lightning
import torch

⟦torch.backends.cudnn.deterministic = True⟧
trainer = lightning.Trainer(benchmark=True)
""",
    good="""\
import torch

torch.backends.cudnn.deterministic = True
""",
    check=check,
    nodes=(ast.Assign,),
)
