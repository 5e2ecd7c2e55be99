"""What torch has traced as graphs of operations, by AOTAutograd: forward, backward, no mutations.

The graphs hold what autograd hands down, as an exact block sees it: compositions are taken apart by
torch's own functions, with the same switches as in a block, and nothing else is decomposed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import fx
from torch._functorch.aot_autograd import aot_module_simplified
from torch.autograd.function import BackwardCFunction

from samebits.arithmetic.compiled.direct import Graphs
from samebits.arithmetic.compiled.partition import partition
from samebits.arithmetic.compiled.plan import Plan
from samebits.arithmetic.compiled.running import run
from samebits.arithmetic.compiled_backward import is_compiled, mark_exact
from samebits.arithmetic.composites import as_inside
from samebits.arithmetic.settings import ExactSettings


def captured(module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any]:
    """Make what computes a graph of torch's functions, and its derivatives, exactly.

    Args:
        module: The graph that torch.compile has traced.
        inputs: Stand-ins of its inputs.
    """
    graphs = Graphs()

    def forward(graph: fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        context = torch._guards.TracingContext.try_get()
        graphs.facts = None if context is None else context.fw_metadata
        graphs.forward = Plan(graph, forward=True)
        return _boxed(graphs.forward)

    def backward(graph: fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        graphs.backward = Plan(graph, forward=False)
        return torch._dynamo.disable(_boxed(graphs.backward))  # type: ignore[no-any-return]

    before = set(BackwardCFunction.__subclasses__())
    with ExactSettings(), as_inside(), _backward_at_once():
        compiled = aot_module_simplified(
            module,
            inputs,
            fw_compiler=forward,
            bw_compiler=backward,
            inference_compiler=forward,
            partition_fn=partition,
            decompositions={},
        )
    made = set(BackwardCFunction.__subclasses__()) - before
    for kind in made:
        mark_exact(kind)
    differentiated = any(is_compiled(kind) for kind in made)
    if differentiated and graphs.backward is None:  # to be compiled when it is needed
        return compiled  # type: ignore[no-any-return]
    return graphs.direct(module, inputs) or compiled  # type: ignore[no-any-return]


def _backward_at_once() -> AbstractContextManager[Any]:
    """Have backward passes compiled with their forward passes, not when they first run."""
    name = "force_non_lazy_backward_lowering"
    if not hasattr(torch._functorch.config, name):
        return nullcontext()
    return torch._functorch.config.patch({name: True})  # type: ignore[no-any-return]


def _boxed(plan: Plan) -> Callable[..., Any]:
    """A plan as AOTAutograd calls it: with a list, which is emptied so that memory can go."""

    def compute(inputs: list[Any]) -> Any:
        given = list(inputs)
        inputs.clear()
        return run(plan, given)

    compute._boxed_call = True  # type: ignore[attr-defined]
    return compute
