"""What torch has traced as graphs of operations, by AOTAutograd: forward, backward, no mutations.

The graphs hold what autograd hands down, as an exact block sees it: compositions are taken apart by
torch's own functions, with the same switches as in a block, and nothing else is decomposed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx
from torch._functorch.aot_autograd import aot_module_simplified
from torch._functorch.partitioners import default_partition
from torch.autograd.function import BackwardCFunction

from samebits.arithmetic.compiled.plan import Plan
from samebits.arithmetic.compiled.running import run
from samebits.arithmetic.compiled_backward import mark_exact
from samebits.arithmetic.composites import as_inside
from samebits.arithmetic.settings import ExactSettings


def captured(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """Make what computes a graph of torch's functions, and its derivatives, exactly.

    Args:
        module: The graph that torch.compile has traced.
        inputs: Stand-ins of its inputs.
    """
    before = set(BackwardCFunction.__subclasses__())
    with ExactSettings(), as_inside():
        compiled = aot_module_simplified(
            module,
            inputs,
            fw_compiler=_forward,
            bw_compiler=_backward,
            inference_compiler=_forward,
            partition_fn=default_partition,
            decompositions={},
        )
    for kind in set(BackwardCFunction.__subclasses__()) - before:
        mark_exact(kind)
    return compiled  # type: ignore[no-any-return]


def _forward(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    return _boxed(Plan(module, forward=True))


def _backward(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    return torch._dynamo.disable(_boxed(Plan(module, forward=False)))  # type: ignore[no-any-return]


def _boxed(plan: Plan) -> Callable[..., Any]:
    """A plan as AOTAutograd calls it: with a list, which is emptied so that memory can go."""

    def compute(inputs: list[Any]) -> Any:
        given = list(inputs)
        inputs.clear()
        return run(plan, given)

    compute._boxed_call = True  # type: ignore[attr-defined]
    return compute
