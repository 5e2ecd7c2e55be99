"""Graphs without anything unusual, from torch.compile's caller to their plans and back to autograd.

AOTAutograd's own way in sees to inputs that are written to, results that share memory, and much
else; where a graph has none of these, one autograd function does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._functorch._aot_autograd.schemas import OutputType
from torch.autograd.function import once_differentiable

from samebits.arithmetic.compiled.plan import Plan
from samebits.arithmetic.compiled.running import run
from samebits.arithmetic.compiling import keep_from_compiler


@dataclass
class Graphs:
    """What AOTAutograd has made of one graph.

    Attributes:
        forward: The results' plan; with a backward pass also of what that needs.
        backward: The gradients' plan, or None.
        facts: What AOTAutograd has found out about inputs and results.
    """

    forward: Plan | None = None
    backward: Plan | None = None
    facts: Any = None

    def direct(self, module: fx.GraphModule, inputs: Sequence[Any]) -> Callable[..., Any] | None:
        """What computes a graph directly; None where AOTAutograd's way is needed.

        Args:
            module: The graph that torch.compile has traced.
            inputs: Stand-ins of its inputs.
        """
        facts, forward = self.facts, self.forward
        own = [*module.parameters(), *module.buffers()]
        if forward is None or own or not _is_usual(facts) or forward.inputs != len(inputs):
            return None
        if not all(isinstance(one, torch.Tensor) for one in inputs):
            return None
        if self.backward is None:
            return _without_gradients(forward, len(facts.output_info))
        differentiable = [bool(info.requires_grad_for_backward) for info in facts.output_info]
        return _with_gradients(forward, self.backward, differentiable)


def _is_usual(facts: Any) -> bool:
    """Whether nothing is written to, shares memory, or is anything but a tensor."""
    if facts is None:
        return False
    usual = all(
        info.output_type is OutputType.non_alias and issubclass(info.raw_type, torch.Tensor)
        for info in facts.output_info
    )
    written = any(info.mutates_data or info.mutates_metadata for info in facts.input_info)
    special = (
        "num_intermediate_bases", "num_symints_saved_for_bw", "num_opaque_objects_saved_for_bw",
        "tokens", "num_backward_tokens", "num_graphsafe_rng_states", "is_rng_op_functionalized",
    )  # fmt: skip
    return usual and not written and not any(getattr(facts, name, None) for name in special)


def _without_gradients(forward: Plan, count: int) -> Callable[..., Any]:
    def compute(*inputs: Any) -> Any:
        return run(forward, inputs)[:count]

    keep_from_compiler(compute)
    return compute


def _with_gradients(
    forward: Plan, backward: Plan, differentiable: list[bool]
) -> Callable[..., Any]:
    count = len(differentiable)
    constant = [place for place, one in enumerate(differentiable) if not one]
    kept = [place for place, one in enumerate(differentiable) if one]

    def back(ctx: Any, *gradients: Any) -> Any:
        tangents = [gradients[place] for place in kept]
        return tuple(run(backward, [*ctx.saved_tensors, *tangents]))

    once = once_differentiable(back)

    class ExactGraph(torch.autograd.Function):
        """A compiled graph between autograd's nodes."""

        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            results = run(forward, inputs)
            ctx.save_for_backward(*results[count:])
            ctx.mark_non_differentiable(*[results[place] for place in constant])
            return tuple(results[:count])

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            # What refuses a second derivative takes as long as a small kernel.
            return (once if torch.is_grad_enabled() else back)(ctx, *gradients)

    keep_from_compiler(ExactGraph.forward)
    keep_from_compiler(ExactGraph.backward)
    return ExactGraph.apply
