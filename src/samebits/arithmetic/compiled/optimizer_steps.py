"""Steps of torch's optimizers in a graph: which have the bits that they have uncompiled.

While torch.compile traces, some optimizers compute with their count of steps as a tensor what
Python computes otherwise (powers of beta in binary64, for one). Those are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from samebits.arithmetic.refusal import not_exact

_STEP = re.compile(
    r"torch/optim/\w+\.py\", line \d+, in (?:torch_dynamo_resume_in_)?"
    r"(_(?:single|multi)_tensor_[a-z]+|_fused_[a-z]+|_get_value)"
)
"""A step in a node's trace, or what makes a tensor of the count for a step that runs uncompiled."""

_THE_SAME = frozenset(
    f"_{how}_tensor_{name}"
    for how in ("single", "multi")
    for name in ("sgd", "rmsprop", "adadelta", "rprop")
)
"""Held by `tests/arithmetic/test_compiled_optimizers.py`."""


def refusal_of_steps(module: fx.GraphModule) -> Callable[..., Any] | None:
    """What stands in the place of a graph with a step that would have other bits; None: nothing.

    Args:
        module: The graph that torch.compile has traced.
    """
    for node in module.graph.nodes:
        steps = _STEP.findall(node.meta.get("stack_trace") or "")
        if steps and steps[0] not in _THE_SAME:
            return _refusing(steps[0])
    return None


def _refusing(step: str) -> Callable[..., Any]:
    def run(*_: Any) -> Any:
        raise not_exact(
            f"a compiled step of an optimizer ({step})",
            "torch computes it with other numbers when it compiles it",
            way_out="Call the optimizer's step() outside of what is compiled.",
        )

    return torch._dynamo.disable(run)  # type: ignore[no-any-return, no-untyped-call]
