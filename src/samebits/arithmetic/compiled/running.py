"""The surroundings in which a plan runs: no dispatch mode, no gradients, exact settings."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import _disable_current_modes

from samebits.arithmetic.block import exact
from samebits.arithmetic.mode import ExactMode, innermost
from samebits.arithmetic.settings import ExactSettings

Compute = Callable[[Any, tuple[Any, ...], dict[str, Any] | None], Any]
"""What computes an operation as the block does: of the operation and its arguments."""

_depth = torch._C._len_torch_dispatch_stack
_top = torch._C._get_dispatch_stack_at
_pop = torch._C._pop_torch_dispatch_stack
_push = torch._C._push_on_torch_dispatch_stack


def run(body: Callable[..., Any], *arguments: Any) -> Any:
    """Call `body(block, *arguments)` where nothing stands between it and the kernels.

    Args:
        body: It is given the innermost block's mode, or outside of blocks that of a block which
            lets nothing through.
        arguments: What else it is given.
    """
    if torch.is_autocast_enabled("cpu"):  # it was traced; what kernels call is not to be cast
        with torch._C._DisableAutocast():
            return run(body, *arguments)
    graded = torch.is_grad_enabled()
    if graded:
        torch._C._set_grad_enabled(False)
    try:
        depth = _depth()
        if depth == 0:
            with ExactSettings():
                return body(_outside(), *arguments)
        block = _top(0)
        if depth > 1 or not isinstance(block, ExactMode):
            block = innermost()
            with _disable_current_modes():
                if block is not None:
                    return body(block, *arguments)
                with ExactSettings():
                    return body(_outside(), *arguments)
        _pop(None)
        try:
            return body(block, *arguments)
        finally:
            _push(block)
    finally:
        if graded:
            torch._C._set_grad_enabled(True)


@functools.cache
def _outside() -> ExactMode:
    """The mode of a block that nobody opened: its rules, for graphs that run outside of all."""
    return exact().mode()
