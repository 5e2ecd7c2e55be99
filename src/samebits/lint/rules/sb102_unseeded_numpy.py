"""SB102: NumPy's global generator, never seeded."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.generators import NUMPY_DRAWS
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    yield Objection(
        node=node,
        message=f"{name}() draws from a generator that nothing in this program seeds",
        remedy="call numpy.random.seed(SEED) first, or samebits.seed_everything(SEED) for all",
        when=frozenset({"entry"}),
        unless=frozenset({"seeds:any"}),
    )


RULE = Rule(
    code="SB102",
    name="unseeded-numpy",
    summary="The global generator of `numpy.random` is used and never seeded",
    explanation="""
`numpy.random.rand()` and its neighbours draw from one generator for the whole process, which NumPy
seeds from the operating system at import. Seed it once, or better: make a generator of your own,
`rng = numpy.random.default_rng(SEED)`, and hand it to whoever draws. The first place of a file is
reported.
""",
    bad="""\
import numpy as np

weights = ⟦np.random.randn(3, 4)⟧
print(weights.sum())
""",
    good="""\
import numpy as np

rng = np.random.default_rng(0)
weights = rng.standard_normal((3, 4))
print(weights.sum())
""",
    check=check,
    calls=NUMPY_DRAWS,
    once=True,
)
