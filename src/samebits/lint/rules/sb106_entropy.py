"""SB106: the operating system's entropy in data or in a seed."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import ENTROPY, is_seed_call

# What only makes sense as a draw; tokens and identifiers are no data.
_DRAWS = frozenset(
    {"random.SystemRandom", "secrets.SystemRandom", "secrets.choice", "secrets.randbelow"}
)


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    into = _destination(module, node)
    if into is None and not (name in _DRAWS and module.is_numeric):
        return
    yield Objection(
        node=node,
        message=f"{name}() cannot be seeded, and {into or 'what it draws becomes data'}",
        remedy="draw from a seeded one: numpy.random.default_rng(SEED) or random.Random(SEED)",
    )


def _destination(module: Module, node: ast.Call) -> str | None:
    """What the entropy becomes: a seed or an array; None when neither is plain to see."""
    current: ast.AST = node
    for ancestor in module.tree.ancestors(node):
        if isinstance(ancestor, ast.Call) and ancestor.func is not current:
            name = module.names.qualified(ancestor.func) or ""
            if is_seed_call(module, ancestor, name):
                return "what it gives becomes a seed"
            if name in ("numpy.frombuffer", "torch.frombuffer"):
                return "what it gives becomes data"
        elif isinstance(ancestor, ast.Assign):
            names = [t.id.lower() for t in ancestor.targets if isinstance(t, ast.Name)]
            if any(n == "seed" or n.endswith("_seed") for n in names) and module.is_numeric:
                return "what it gives becomes a seed"
            return None
        elif isinstance(ancestor, ast.stmt):
            return None
        current = ancestor
    return None


RULE = Rule(
    code="SB106",
    name="entropy",
    summary="The operating system's entropy becomes data or a seed",
    explanation="""
`os.urandom`, `secrets`, `uuid4` and `random.SystemRandom` exist to be unpredictable: no seed
reaches them. For passwords and names of files that is right, and this rule leaves it alone. In a
program that computes, what they give must not choose data or seed a generator.
""",
    bad="""\
import os

import torch

torch.manual_seed(int.from_bytes(⟦os.urandom(4)⟧, "little"))
""",
    good="""\
import uuid

import torch

torch.manual_seed(20240501)
run_name = uuid.uuid4().hex
""",
    check=check,
    calls=ENTROPY | _DRAWS,
)
