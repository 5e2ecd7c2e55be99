"""Refusing the backward pass of a compiled model whose forward pass ran before the block.

Such a pass is code of the compiler's, which no dispatch mode sees. Its nodes are known by their
name, so the graph is looked through before autograd's engine runs it, where the process has
compiled anything that has a backward pass. A compiled part that the pass would not run is refused
as well.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.autograd.function import BackwardCFunction

from samebits.arithmetic.mode import active
from samebits.arithmetic.refusal import not_exact
from samebits.core.interposition.replacements import Replacements

_ENGINE = "_engine_run_backward"
_NODE = "CompiledFunctionBackward"
_without: tuple[int, weakref.ref[type]] | None = None


def put_in_place(replacements: Replacements) -> None:
    """Look at what autograd's engine is given inside exact blocks."""
    original = getattr(torch.autograd, _ENGINE, None)
    if original is not None:
        replacements.put(torch.autograd, _ENGINE, _looking(original))


def _looking(original: Callable[..., Any]) -> Callable[..., Any]:
    def run_backward(outputs: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
        outputs = tuple(outputs)
        if _compiled_exists() and active():
            _refuse_compiled(outputs)
        return original(outputs, *args, **kwargs)

    return run_backward


def _compiled_exists() -> bool:
    """Whether any compiled function with a backward pass lives: each has a class of nodes."""
    global _without
    kinds = BackwardCFunction.__subclasses__()  # in the order in which they were made
    if _without is not None and kinds and (len(kinds), kinds[-1]) == (_without[0], _without[1]()):
        return False
    found = any(_foreign(kind) for kind in kinds)
    _without = None if found or not kinds else (len(kinds), weakref.ref(kinds[-1]))
    return found


def mark_exact(kind: type) -> None:
    """Let the backward passes of a class of nodes in: our own backend has compiled them."""
    kind._samebits = True  # type: ignore[attr-defined]


def is_compiled(kind: type) -> bool:
    """Whether a class of autograd's nodes is that of a compiled backward pass."""
    return kind.__name__ == _NODE


def _foreign(kind: type) -> bool:
    return is_compiled(kind) and not getattr(kind, "_samebits", False)


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
        if _foreign(type(node)):
            raise not_exact(
                "a compiled backward pass",
                "its forward pass was compiled and ran before the block",
                way_out="Run the forward pass inside exact() as well; there it runs uncompiled.",
            )
        seen.add(node)
        waiting += [following for following, _ in node.next_functions]
