"""The backend that torch finds under the name "samebits"."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import fx

from samebits.arithmetic.compiled.capture import captured
from samebits.arithmetic.compiled.optimizer_steps import refusal_of_steps
from samebits.arithmetic.compiled.tracing import trace_as_uncompiled
from samebits.arithmetic.compiled.uncompiled import uncompiled
from samebits.arithmetic.compiling import inside_blocks
from samebits.errors import UsageError


def samebits(module: fx.GraphModule, inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """Compile a graph for exact arithmetic: `torch.compile(model, backend="samebits")`.

    Args:
        module: The graph that torch.compile has traced.
        inputs: Stand-ins of its inputs.
        **options: What `mode=` and `options=` were; there are none.

    Returns:
        What computes the graph, with the bits that it has uncompiled inside `samebits.exact()`.

    Raises:
        UsageError: There are options.
    """
    if options:
        raise UsageError(
            f"the backend 'samebits' takes no {' and no '.join(sorted(options))}",
            hint='Write torch.compile(model, backend="samebits"); fullgraph= is fine.',
        )
    refusal = refusal_of_steps(module)
    if refusal is not None:
        return refusal
    has_graphs = any(_is_graph(module, node) for node in module.graph.nodes)
    if has_graphs or torch.is_inference_mode_enabled():
        return uncompiled(module)
    return captured(module, inputs)


samebits.computes_exactly = True  # type: ignore[attr-defined]


def _is_graph(module: fx.GraphModule, node: fx.Node) -> bool:
    found = getattr(module, str(node.target), None) if node.op == "get_attr" else None
    return isinstance(found, fx.GraphModule)


class _CompilerFunction:
    """The attribute of torch.compile's wrapper of a backend that holds the backend.

    torch looks for `backend_ctx_ctor` among the wrapper's own attributes, but nobody puts it there.
    """

    def __get__(self, wrapper: Any, kind: Any = None) -> Any:
        return self if wrapper is None else wrapper.__dict__["compiler_fn"]

    def __set__(self, wrapper: Any, function: Any) -> None:
        wrapper.__dict__["compiler_fn"] = function
        if function is samebits:
            wrapper.__dict__["backend_ctx_ctor"] = inside_blocks


torch._TorchCompileWrapper.compiler_fn = _CompilerFunction()  # type: ignore[assignment]
trace_as_uncompiled()
