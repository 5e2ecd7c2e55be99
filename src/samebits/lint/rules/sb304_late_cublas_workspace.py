"""SB304: cuBLAS's workspace set when cuBLAS is already up."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, is_constant
from samebits.core.source.tree import Scope
from samebits.lint.facts import CUBLAS_VARIABLE
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

# These ask or set, and start nothing.
_HARMLESS = ("is_available", "manual_seed", "manual_seed_all", "device_count")


def check(module: Module, node: ast.Module, name: str) -> Iterator[Objection]:
    if CUBLAS_VARIABLE not in module.source.text:
        return
    first_use: dict[Scope, int] = {}
    for call, called in module.calls:
        if _starts_cuda(call, called):
            scope = module.tree.scope_of(call)
            first_use[scope] = min(call.lineno, first_use.get(scope, call.lineno))
    for assignment in module.nodes(ast.Assign):
        assert isinstance(assignment, ast.Assign)
        line = first_use.get(module.tree.scope_of(assignment))
        if line is not None and line < assignment.lineno and _sets_variable(module, assignment):
            yield Objection(
                node=assignment,
                message=f"{CUBLAS_VARIABLE} is set after CUDA is first used, on line {line}: "
                "cuBLAS has read it by then",
                remedy="set it at the top of the program, or in the environment",
            )


def _sets_variable(module: Module, node: ast.Assign) -> bool:
    return any(
        isinstance(t, ast.Subscript)
        and is_constant(t.slice, CUBLAS_VARIABLE)
        and module.names.qualified(t.value) == "os.environ"
        for t in node.targets
    )


def _starts_cuda(call: ast.Call, called: str) -> bool:
    if called.startswith("torch.cuda."):
        return called.rpartition(".")[2] not in _HARMLESS
    if called == "torch.device" or called.startswith("builtins."):
        return False
    if isinstance(call.func, ast.Attribute) and call.func.attr == "cuda":
        return True
    values = [argument(call, "device")]
    if isinstance(call.func, ast.Attribute) and call.func.attr == "to":
        values += call.args[:1]
    return any(
        isinstance(v, ast.Constant) and isinstance(v.value, str) and v.value.startswith("cuda")
        for v in values
    )


RULE = Rule(
    code="SB304",
    name="late-cublas-workspace",
    summary="`CUBLAS_WORKSPACE_CONFIG` is set after CUDA is in use",
    explanation="""
cuBLAS reads CUBLAS_WORKSPACE_CONFIG when it starts, with the first product on the device. A value
set later changes nothing, and nothing says so.
""",
    bad="""\
import os

import torch

x = torch.ones(3, 3, device="cuda")
⟦os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"⟧
""",
    good="""\
import os

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"

import torch

x = torch.ones(3, 3, device="cuda")
""",
    check=check,
    nodes=(ast.Module,),
)
