"""SB101: Python's own generator, never seeded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import PYTHON_DRAWS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_WAITING = frozenset({"time.sleep", "asyncio.sleep"})


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if any(module.names.called(around) in _WAITING for around in module.tree.ancestors(node)):
        return  # how long something waits is no result
    yield Objection(
        node=node,
        message=f"{name}() draws from a generator that nothing in this program seeds",
        remedy="call random.seed(SEED) at the start, or samebits.seed_everything(SEED) for all",
        when=frozenset({"entry"}),
        unless=frozenset({"seeds:any"}),
    )


RULE = Rule(
    code="SB101",
    name="unseeded-random",
    summary="The `random` module is used and never seeded",
    explanation="""
Python seeds the generator behind `random.random()`, `random.shuffle()` and the like from the
operating system when it starts: every run draws other numbers. Seed it once, where the program
starts. A seed that any file of the program sets counts, also through a function of yours that is
called. The first place of a file is reported. A program that seeds something, but not this, is
SB114's business.
""",
    bad="""\
import random

words = ["a", "b", "c"]
⟦random.shuffle(words)⟧
print(words)
""",
    good="""\
import random

random.seed(0)
words = ["a", "b", "c"]
random.shuffle(words)
print(words)
""",
    check=check,
    calls=PYTHON_DRAWS,
    once=True,
)
