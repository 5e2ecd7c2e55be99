"""SB305: TF32 turned on."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.module import Module, argument, is_constant
from samebits.lint.rule import Objection, Rule

_FLAGS = ("torch.backends.cuda.matmul.allow_tf32", "torch.backends.cudnn.allow_tf32")
_PRECISION = "torch.set_float32_matmul_precision"


def check(module: Module, node: ast.Assign | ast.Call, name: str) -> Iterator[Objection]:
    if isinstance(node, ast.Call):
        if not is_constant(argument(node, "precision", 0), "high", "medium"):
            return
        # A rewrite of a keyword would be another one.
        yield _report(node, f'{_PRECISION}("highest")', fixable=bool(node.args))
        return
    for target in node.targets:
        flag = module.names.qualified(target) or ""
        if flag in _FLAGS and is_constant(node.value, True):
            yield _report(node, "False", fixable=len(node.targets) == 1)
        elif flag.startswith("torch.backends.") and is_constant(node.value, "tf32"):
            yield _report(node, '"ieee"', fixable=False)


def _report(node: ast.AST, instead: str, *, fixable: bool) -> Objection:
    return Objection(
        node=node,
        message="TF32 rounds factors to 10 bits, on GPUs that have it and on no others",
        remedy=f"write {instead} where the same numbers are wanted on other machines",
        fixable=fixable,
    )


def _turn_off(node: object) -> object:
    import libcst as cst

    from samebits.lint.fixes import assign_false, first_argument

    if isinstance(node, cst.Call):
        return first_argument('"highest"')(node)
    return assign_false(node)


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
    fix=_turn_off,
)
