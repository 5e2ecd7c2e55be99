"""What torch has traced as graphs of operations, by AOTAutograd: forward, backward, no mutations.

The graphs hold what autograd hands down, as an exact block sees it: compositions are taken apart by
torch's own functions, with the same switches as in a block, and nothing else is decomposed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import torch
from torch import fx
from torch._functorch.aot_autograd import aot_module_simplified
from torch.autograd.function import BackwardCFunction

from samebits.arithmetic.compiled.direct import Graphs
from samebits.arithmetic.compiled.partition import partition
from samebits.arithmetic.compiled.plan import Plan
from samebits.arithmetic.compiled.running import run
from samebits.arithmetic.compiled.tracing import captured_as_written
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
        boxed = _boxed(graphs.backward)
        return torch._dynamo.disable(boxed)  # type: ignore[no-any-return, no-untyped-call]

    compilers: tuple[Any, Any] = forward, backward
    before = set(BackwardCFunction.__subclasses__())
    with (
        ExactSettings(),
        as_inside(),
        _backward_at_once(),
        _without_python_kernels(),
        captured_as_written(),
    ):
        compiled = aot_module_simplified(
            module,
            inputs,
            fw_compiler=compilers[0],
            bw_compiler=compilers[1],
            inference_compiler=compilers[0],
            partition_fn=partition,
            decompositions={},
        )
    made = set(BackwardCFunction.__subclasses__()) - before
    for kind in made:
        mark_exact(kind)
    differentiated = any(is_compiled(kind) for kind in made)
    if differentiated and graphs.backward is None:  # to be compiled when it is needed
        return compiled
    return graphs.direct(module, inputs) or compiled


@contextmanager
def _without_python_kernels() -> Iterator[None]:
    """Have operations traced as a block meets them, not as torch's Python takes them apart.

    Under AOTAutograd some operations are traced by decompositions of torch's that were written in
    Python; they add in another order than what the block computes.
    """
    keys = (torch._C.DispatchKey.Autograd, torch._C.DispatchKey.CompositeImplicitAutograd)
    taken = []
    for op in _overloads():
        kernels = getattr(op, "py_kernels", {})
        for key in keys:
            if key in kernels:
                taken.append((op, key, kernels.pop(key)))
                op._dispatch_cache.clear()
    try:
        yield
    finally:
        for op, key, kernel in taken:
            op.py_kernels[key] = kernel
            op._dispatch_cache.clear()


@functools.cache
def _overloads() -> tuple[Any, ...]:
    """Torch's operations, each overload."""
    packets = (getattr(torch.ops.aten, name) for name in dir(torch.ops.aten))
    return tuple(
        getattr(packet, overload)
        for packet in packets
        if hasattr(packet, "overloads")
        for overload in packet.overloads()
    )


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
