"""SB117: a seed drawn from a generator that nothing seeded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import argument
from samebits.core.source.generators import SEED_TAKERS, STREAM_OF
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import drawn_seeds


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    for draw, drawn in drawn_seeds(module, node, name):
        if argument(draw, "generator") is not None:
            continue
        yield Objection(
            node=draw,
            message=f"{drawn}() becomes a seed, and nothing seeds what it draws from: every run "
            "starts from another",
            remedy="write a number, or take one from the command line and print it",
            when=frozenset({"entry"}),
            unless=frozenset({f"rooted:{STREAM_OF[drawn]}"}),
        )


RULE = Rule(
    code="SB117",
    name="seed-from-draw",
    summary="A seed is drawn from a generator that is not seeded itself",
    explanation="""
`torch.manual_seed(random.randint(0, 2**32))` is as if there were no seed: Python's generator starts
from the operating system's entropy. A seed that is printed lets one repeat a run by hand, and two
plain runs differ all the same. Draw seeds from a generator that has a seed, or write a number.
""",
    bad="""\
import random

import torch

seed = ⟦random.randint(0, 2**32 - 1)⟧
torch.manual_seed(seed)
""",
    good="""\
import random

import torch

random.seed(0)
torch.manual_seed(random.randint(0, 2**32 - 1))
""",
    check=check,
    calls=SEED_TAKERS,
    methods=frozenset({"manual_seed"}),
)
