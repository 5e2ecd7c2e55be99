"""SB110: a seed taken from the number of a process or a thread."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import SEED_TAKERS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import PROCESS_NUMBERS, seed_sources


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    for source, called in seed_sources(module, node, name):
        if called in PROCESS_NUMBERS:
            yield Objection(
                node=source,
                message=f"{called}() becomes a seed: the system deals these numbers out anew",
                remedy="use the worker's or the rank's own number, which is the same in each run",
            )


RULE = Rule(
    code="SB110",
    name="seed-from-process",
    summary="A seed is taken from the number of a process or thread",
    explanation="""
Adding os.getpid() keeps workers apart, and also every run from every other. A worker's index or a
rank keeps them apart just as well: `seed + worker_id`, `seed + rank`.
""",
    bad="""\
import os

import numpy as np


def init_worker(worker_id):
    np.random.seed(⟦os.getpid()⟧ % 2**32)
""",
    good="""\
import numpy as np

SEED = 0


def init_worker(worker_id):
    np.random.seed(SEED + worker_id)
""",
    check=check,
    calls=SEED_TAKERS,
    methods=frozenset({"manual_seed"}),
)
