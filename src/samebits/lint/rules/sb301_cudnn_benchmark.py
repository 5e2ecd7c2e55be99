"""SB301: cuDNN chooses algorithms by a stopwatch."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.edits import replacing
from samebits.core.source.expressions import is_constant
from samebits.lint.facts import CUDNN_BENCHMARK
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Assign, name: str) -> Iterator[Objection]:
    if not is_constant(node.value, True):
        return
    for target in node.targets:
        if module.names.qualified(target) == CUDNN_BENCHMARK:
            yield Objection(
                node=node,
                message="cudnn.benchmark chooses convolution algorithms by timing them",
                remedy="set it to False: then the choice depends on the shapes alone",
                fix=(replacing(node.value, "False"),) if len(node.targets) == 1 else (),
            )


RULE = Rule(
    code="SB301",
    name="cudnn-benchmark",
    summary="`cudnn.benchmark` is turned on",
    explanation="""
With torch.backends.cudnn.benchmark = True, cuDNN times several algorithms for each new shape and
takes the fastest. Which one wins depends on the load of the GPU at that moment, and different
algorithms round differently. Note that cudnn.deterministic is another switch: it restricts which
algorithms may be taken.
""",
    bad="""\
import torch

⟦torch.backends.cudnn.benchmark = True⟧
""",
    good="""\
import torch

torch.backends.cudnn.benchmark = False
""",
    check=check,
    nodes=(ast.Assign,),
    fixes=True,
)
