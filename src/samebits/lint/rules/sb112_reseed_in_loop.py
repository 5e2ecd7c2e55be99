"""SB112: the same seed set again in every round of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import GLOBAL_SEED_CALLS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import seed_argument

# Loops over a counter or over data; one over alternatives starts each from the same numbers on
# purpose.
_COUNTING = ("builtins.range", "builtins.enumerate", "tqdm.tqdm", "tqdm.trange", "tqdm.auto.tqdm")


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    loop = module.loop_around(node)
    seed = seed_argument(node)
    if loop is None or seed is None or module.is_test or not _counts(module, loop):
        return
    changing = module.bound_in(loop)
    for part in ast.walk(seed):
        if isinstance(part, ast.Call) or (isinstance(part, ast.Name) and part.id in changing):
            return
    yield Objection(
        node=node,
        message="this seeds anew in every round: each draws the very same numbers",
        remedy="seed once before the loop, or add the loop's number to the seed",
    )


def _counts(module: Module, loop: ast.For | ast.AsyncFor | ast.While) -> bool:
    if isinstance(loop, ast.While):
        return True
    called = module.names.called(loop.iter) or ""
    if called in _COUNTING:
        return True
    return isinstance(loop.iter, ast.Name) and "loader" in loop.iter.id.lower()


RULE = Rule(
    code="SB112",
    name="reseed-in-loop",
    summary="The same seed is set again in every round of a loop",
    explanation="""
Seeding inside the loop makes every epoch draw the same dropout masks and the same shuffle: the
run is reproducible and wrong. Seed once, before the loop. Seeding with a number that changes from
round to round, or once for each alternative that is compared, is fine and is not reported.
""",
    bad="""\
import torch

for epoch in range(3):
    ⟦torch.manual_seed(0)⟧
    print(epoch, torch.randperm(5))
""",
    good="""\
import torch

torch.manual_seed(0)
for epoch in range(3):
    print(epoch, torch.randperm(5))
""",
    check=check,
    calls=GLOBAL_SEED_CALLS,
)
