"""Refusing the backward pass of a compiled model whose forward pass ran before the block.

Such a pass is code of the compiler's, which no dispatch mode sees. Its nodes are known by their
name, so the graph is looked through before autograd's engine runs it, where torch's compiler is
loaded (its optimizers load it). A compiled part that the pass would not run is refused as well.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

import torch

from samebits.exact.mode import active
from samebits.exact.refusal import not_exact

_COMPILER = "torch._functorch._aot_autograd.runtime_wrappers"
_NODE = "CompiledFunctionBackward"


def put_in_place() -> Callable[[], None]:
    """Look at what autograd's engine is given inside exact blocks; returns what undoes it."""
    module: Any = torch.autograd
    original = getattr(module, "_engine_run_backward", None)
    if original is None:
        return lambda: None

    def run_backward(outputs: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        outputs = tuple(outputs)
        if _COMPILER in sys.modules and active():
            _refuse_compiled(outputs)
        return original(outputs, *args, **kwargs)

    module._engine_run_backward = run_backward

    def put_back() -> None:
        if module._engine_run_backward is run_backward:
            module._engine_run_backward = original

    return put_back


def _refuse_compiled(outputs: Iterable[Any]) -> None:
    """Look through the graph behind tensors, or edges, of autograd.

    Raises:
        NotExactError: It holds compiled code.
    """
    waiting = [getattr(one, "grad_fn", None) or getattr(one, "node", None) for one in outputs]
    seen = set()
    while waiting:
        node = waiting.pop()
        if node is None or node in seen:
            continue
        if type(node).__name__ == _NODE:
            raise not_exact(
                "a compiled backward pass",
                "its forward pass was compiled and ran before the block",
                way_out="Run the forward pass inside exact() as well; there it runs uncompiled.",
            )
        seen.add(node)
        waiting += [following for following, _ in node.next_functions]
