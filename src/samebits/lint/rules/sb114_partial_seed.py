"""SB114: one library is seeded, another draws."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import ALL, SEEDERS, STREAM_OF
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import drawn_seeds, seed_argument

_SPELLED = {
    "python": "Python's random module",
    "numpy": "NumPy's global generator",
    "torch": "torch",
}
_SEEDED_BY = {
    "python": "random.seed",
    "numpy": "numpy.random.seed",
    "torch": "torch.manual_seed",
}


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if seed_argument(node) is None:
        return
    function = module.tree.function_of(node)
    if function is not None and "worker" in function.name:
        return
    drawn_from = {STREAM_OF[drawn] for _, drawn in drawn_seeds(module, node, name)}
    for stream in sorted(ALL - SEEDERS[name] - drawn_from):  # SB117 asks where those start
        yield Objection(
            node=node,
            message=f"{name}() does not seed {_SPELLED[stream]}, which this program draws from",
            remedy=f"call {_SEEDED_BY[stream]}(SEED) as well, or samebits.seed_everything(SEED)",
            when=frozenset({"entry", f"draws:{stream}"}),
            unless=frozenset({f"seeds:{stream}"}),
        )


RULE = Rule(
    code="SB114",
    name="partial-seed",
    summary="One library is seeded, and the program draws from another",
    explanation="""
Python, NumPy and torch have a generator each, and none of their seeding functions reaches the
others'. A program that calls `random.seed(0)` and trains a torch network is not seeded: the
weights come from torch's generator. Seed each that the program draws from, or call
`samebits.seed_everything(SEED)`.
""",
    bad="""\
import random

import torch

⟦random.seed(0)⟧
layer = torch.nn.Linear(4, 2)
print(layer.weight)
""",
    good="""\
import random

import torch

random.seed(0)
torch.manual_seed(0)
layer = torch.nn.Linear(4, 2)
print(layer.weight)
""",
    check=check,
    calls=frozenset({"random.seed", "numpy.random.seed", "torch.manual_seed"}),
)
