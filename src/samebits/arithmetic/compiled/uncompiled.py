"""Graphs that are left as they are: run operation by operation, inside a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import fx

from samebits.arithmetic.block import exact
from samebits.arithmetic.mode import active


def uncompiled(module: fx.GraphModule) -> Callable[..., Any]:
    """What runs a graph as it was written, for those that cannot be captured.

    Graphs that call other graphs (checkpoints, branches) and those of inference mode are such: the
    block then sees each of their operations. Outside of blocks the forward pass runs in one.

    Args:
        module: The graph that torch.compile has traced.
    """

    def run(*inputs: Any) -> Any:
        if active():
            return module.forward(*inputs)
        with exact():
            return module.forward(*inputs)

    return torch._dynamo.disable(run)  # type: ignore[no-any-return]
