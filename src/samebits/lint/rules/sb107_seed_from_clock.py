"""SB107: a seed taken from a clock."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import SEED_TAKERS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import CLOCKS, seed_sources


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    for source, called in seed_sources(module, node, name):
        if called in CLOCKS:
            yield Objection(
                node=source,
                message=f"{called}() becomes a seed: every run starts from another",
                remedy="write a number, or take one from the command line and print it",
            )


RULE = Rule(
    code="SB107",
    name="seed-from-clock",
    summary="A seed is taken from a clock",
    explanation="""
`torch.manual_seed(int(time.time()))` is as if there were no seed. If each run is to have its own,
take the seed as an argument and record it, so that one of them can be run again.
""",
    bad="""\
import random
import time

seed = int(⟦time.time()⟧)
random.seed(seed)
""",
    good="""\
import random
import sys

random.seed(int(sys.argv[1]))
""",
    check=check,
    calls=SEED_TAKERS,
    methods=frozenset({"manual_seed"}),
)
