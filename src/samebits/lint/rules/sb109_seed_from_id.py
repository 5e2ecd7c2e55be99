"""SB109: a seed taken from id()."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import SEED_TAKERS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import seed_sources


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    for source, called in seed_sources(module, node, name):
        if called == "builtins.id":
            yield Objection(
                node=source,
                message="id() becomes a seed: it is a memory address, another in each process",
                remedy="number the objects as they are made, and seed with the number",
            )


RULE = Rule(
    code="SB109",
    name="seed-from-id",
    summary="A seed is taken from `id()`",
    explanation="""
`id(x)` is the object's address in memory. Where that lies depends on address randomisation and on
everything that was allocated before.
""",
    bad="""\
import random


def generator_for(worker):
    return random.Random(⟦id(worker)⟧)
""",
    good="""\
import random


def generator_for(worker_number):
    return random.Random(1000 + worker_number)
""",
    check=check,
    calls=SEED_TAKERS,
    methods=frozenset({"manual_seed"}),
)
