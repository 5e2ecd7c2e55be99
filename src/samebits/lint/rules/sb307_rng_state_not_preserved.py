"""SB307: a recomputed block that draws other numbers than the first time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.core.source.edits import replacing
from samebits.core.source.expressions import argument, is_constant
from samebits.lint.module import Module
from samebits.lint.rule import Objection, Rule

_FUNCTIONS = frozenset(
    {"torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint_sequential"}
)


def check(module: Module, node: ast.Call, name: str) -> Iterator[Objection]:
    preserve = argument(node, "preserve_rng_state")
    if is_constant(preserve, False):
        yield Objection(
            node=node,
            message="the recomputed block draws other dropout masks than the forward pass did",
            remedy="leave preserve_rng_state at True",
            fix=(replacing(preserve, "True"),),
        )


RULE = Rule(
    code="SB307",
    name="rng-state-not-preserved",
    summary="Checkpointing recomputes with another generator state",
    explanation="""
torch.utils.checkpoint runs a block a second time in the backward pass. With
preserve_rng_state=False that run draws new random numbers: with dropout inside, the gradient is
that of another function than the one whose loss was computed.
""",
    bad="""\
from torch.utils.checkpoint import checkpoint


def forward(block, x):
    return ⟦checkpoint(block, x, preserve_rng_state=False)⟧
""",
    good="""\
from torch.utils.checkpoint import checkpoint


def forward(block, x):
    return checkpoint(block, x, preserve_rng_state=True)
""",
    check=check,
    calls=_FUNCTIONS,
    fixes=True,
)
