"""SB111: a call that looks like seeding and asks for entropy."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.expressions import has_unpacking, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule
from samebits.lint.seeding import seed_argument

_ALWAYS = frozenset({"torch.seed", "torch.cuda.seed", "torch.cuda.seed_all"})
_WITHOUT_ARGUMENT = frozenset({"random.seed", "numpy.random.seed"})


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    if has_unpacking(node):
        return
    seed = seed_argument(node)
    if name in _ALWAYS or seed is None or is_constant(seed, None):
        right = "torch.manual_seed" if name in _ALWAYS else name
        yield Objection(
            node=node,
            message=f"{name}() without a number takes a new seed from the operating system",
            remedy=f"write {right}(SEED)",
        )


RULE = Rule(
    code="SB111",
    name="seed-without-value",
    summary="A seeding function is called without a seed",
    explanation="""
`random.seed()`, `numpy.random.seed(None)` and `torch.seed()` do the opposite of what their names
suggest: each takes a new seed from the operating system. `torch.seed()` takes no number at all;
the one that does is `torch.manual_seed`.
""",
    bad="""\
import torch

⟦torch.seed()⟧
print(torch.initial_seed())
""",
    good="""\
import torch

torch.manual_seed(0)
print(torch.initial_seed())
""",
    check=check,
    calls=_ALWAYS | _WITHOUT_ARGUMENT,
)
