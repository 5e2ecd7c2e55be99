"""SB113: a library that seeds the whole process when it is imported."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import GLOBAL_SEED_CALLS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if module.in_function(node) or module.is_test or module.has_main_guard:
        return
    if module.source.is_notebook or not _is_library(module):
        return
    yield Objection(
        node=node,
        message="importing this module seeds the whole process, whenever the import happens",
        remedy="seed in a function that the program calls when it starts",
    )


def _is_library(module: Module) -> bool:
    """Nothing but definitions and assignments besides the seeding itself."""
    body = module.tree.root.body
    if not any(isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) for s in body):
        return False
    for statement in body:
        if isinstance(statement, ast.For | ast.While | ast.With):
            return False
        if not isinstance(statement, ast.Expr) or isinstance(statement.value, ast.Constant):
            continue
        if module.names.called(statement.value) not in GLOBAL_SEED_CALLS:
            return False
    return True


RULE = Rule(
    code="SB113",
    name="seed-on-import",
    summary="A module seeds the process when it is imported",
    explanation="""
A seed at the top of a library module takes effect at the import, wherever that happens: it
overwrites the program's own seed, and moving an import changes results. Put it into a function
and call that once.
""",
    bad="""\
import torch

⟦torch.manual_seed(0)⟧


def build():
    return torch.nn.Linear(4, 2)
""",
    good="""\
import torch


def build(seed):
    torch.manual_seed(seed)
    return torch.nn.Linear(4, 2)
""",
    check=check,
    calls=GLOBAL_SEED_CALLS,
    file_name="layers.py",
)
