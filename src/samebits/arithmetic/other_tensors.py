"""Tensors of types that see to their operations themselves, such as nested ones."""

from __future__ import annotations

from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor

_OF_A_TRACE = (FakeTensor, FunctionalTensor)


def are_others(types: tuple[type, ...]) -> bool:
    """Whether any of these types sees to its operations itself; torch names others, too."""
    return any(
        getattr(kind, "__torch_dispatch__", None) is not torch.Tensor.__torch_dispatch__
        for kind in types
    )


def dispatch_others(op: Any, types: tuple[type, ...], args: Any, kwargs: Any) -> Any:
    """Leave an operation to the types of its tensors.

    What they compute of it with plain tensors is dispatched anew, and comes to the mode again.

    Args:
        op: The operation.
        types: Those of its tensors' types that dispatch by themselves.
        args: Its arguments.
        kwargs: Its named arguments, or None.

    Returns:
        `NotImplemented`, with which torch goes on to the types; a result where torch itself traces
        (torch.export): its modes lie below, and nothing is computed.
    """
    if any(issubclass(kind, _OF_A_TRACE) for kind in types):
        return op(*args, **(kwargs or {}))
    return NotImplemented
