"""SB305: TF32 turned on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.edits import Edit, replacing
from samebits.core.source.expressions import argument, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_FLAGS = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32")
_PRECISION = "torch.set_float32_matmul_precision"


def check(module: Module, node: ast.Assign | ast.Call, name: str) -> Iterator[Objection]:
    if isinstance(node, ast.Call):
        precision = argument(node, "precision", 0)
        if is_constant(precision, "high", "medium"):
            fix = replacing(precision, '"highest"')
            yield _report(node, f'{_PRECISION}("highest")', fix)
        return
    for target in node.targets:
        flag = module.names.qualified(target) or ""
        if flag in _FLAGS and is_constant(node.value, True):
            fixes = [replacing(node.value, "False")] if len(node.targets) == 1 else []
            yield _report(node, "False", *fixes)
        elif flag.startswith("torch.backends.") and is_constant(node.value, "tf32"):
            yield _report(node, '"ieee"')


def _report(node: ast.AST, instead: str, *fix: Edit) -> Objection:
    return Objection(
        node=node,
        message="TF32 rounds factors to 10 bits, on GPUs that have it and on no others",
        remedy=f"write {instead} where the same numbers are wanted on other machines",
        fix=fix,
    )


RULE = Rule(
    code="SB305",
    name="tf32",
    summary="TF32 products are turned on",
    explanation="""
With TF32 the tensor cores of newer NVIDIA GPUs multiply float32 numbers rounded to 10 bits of
mantissa. One machine repeats itself; a GPU without TF32, a CPU, or another shape of product gives
visibly other numbers.
""",
    bad="""\
import torch

⟦torch.backends.cuda.matmul.allow_tf32 = True⟧
""",
    good="""\
import torch

torch.backends.cuda.matmul.allow_tf32 = False
""",
    check=check,
    nodes=(ast.Assign,),
    calls=frozenset({_PRECISION}),
    fixes=True,
)
