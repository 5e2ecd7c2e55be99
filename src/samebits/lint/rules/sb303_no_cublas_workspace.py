"""SB303: deterministic algorithms on CUDA without a cuBLAS workspace."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument, is_constant
from samebits.lint.facts import CUBLAS_VARIABLE
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if not is_constant(argument(node, "mode", 0), True):
        return
    yield Objection(
        node=node,
        message=f"on CUDA this needs {CUBLAS_VARIABLE}, which nothing in this program sets",
        remedy=f'set os.environ["{CUBLAS_VARIABLE}"] = ":4096:8" before CUDA is first used',
        when=frozenset({"cuda"}),
        unless=frozenset({CUBLAS_VARIABLE}),
    )


RULE = Rule(
    code="SB303",
    name="no-cublas-workspace",
    summary="Deterministic algorithms are demanded and cuBLAS's workspace is not set",
    explanation="""
Under torch.use_deterministic_algorithms(True) a matrix product on CUDA raises unless
CUBLAS_WORKSPACE_CONFIG is ":4096:8" or ":16:8": with several streams cuBLAS otherwise chooses its
workspace, and with it its algorithm, as it likes. Set it in the environment of the process, or in
the program before CUDA is first used. Only programs that speak of CUDA are reported.
""",
    bad="""\
import torch

⟦torch.use_deterministic_algorithms(True)⟧
x = torch.ones(3, 3, device="cuda")
print(x @ x)
""",
    good="""\
import os

import torch

os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
torch.use_deterministic_algorithms(True)
x = torch.ones(3, 3, device="cuda")
print(x @ x)
""",
    check=check,
    calls=frozenset({"torch.use_deterministic_algorithms"}),
)
