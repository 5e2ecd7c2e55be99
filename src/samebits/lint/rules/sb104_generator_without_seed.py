"""SB104: a generator of one's own, seeded by the operating system."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import has_unpacking, is_constant, place
from samebits.core.source.generators import GENERATOR_CONSTRUCTORS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import seed_argument


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if has_unpacking(node) or _seeded_later(module, node):
        return
    seed = seed_argument(node)
    if seed is None or is_constant(seed, None):
        yield Objection(
            node=node,
            message=f"{name}() without a seed starts from the operating system's entropy",
            remedy=f"give it a seed: {name}(SEED)",
        )


def _seeded_later(module: Module, node: ast.Call) -> bool:
    """Rng = random.Random(); rng.seed(0) is as good; so is a state that is loaded."""
    statement = module.tree.parents[node]
    if not isinstance(statement, ast.Assign | ast.AnnAssign):
        return False
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    places = {place(target) for target in targets} - {""}
    return any(
        not places.isdisjoint(module.methods_called.get(method, ()))
        for method in ("seed", "setstate", "set_state")
    )


RULE = Rule(
    code="SB104",
    name="generator-without-seed",
    summary="A generator is made without a seed",
    explanation="""
`numpy.random.default_rng()`, `RandomState()`, `random.Random()` and `SeedSequence()` without an
argument take their seed from the operating system, whatever `numpy.random.seed` was told before.
Give each a seed, best derived from the program's one seed with
`numpy.random.SeedSequence(SEED).spawn(n)`.
""",
    bad="""\
import numpy as np

np.random.seed(0)
rng = ⟦np.random.default_rng()⟧
print(rng.normal())
""",
    good="""\
import numpy as np

rng = np.random.default_rng(0)
print(rng.normal())
""",
    check=check,
    calls=GENERATOR_CONSTRUCTORS,
)
