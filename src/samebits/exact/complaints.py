"""Errors about arguments in torch's own words.

Kernels check what they are given, but torch's texts name shapes and dtypes in terms that people
know. So where a kernel has refused its arguments torch is asked what it would say.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from samebits.control import isolated_rng
from samebits.errors import SamebitsError


def raise_torchs_own(op: Any, args: Any, kwargs: Any, error: BaseException) -> None:
    """Raise what torch raises for an operation's arguments, if it does; else return.

    Args:
        op: The operation.
        args: Its arguments; they are left as they are.
        kwargs: Its named arguments, or None.
        error: What the exact form of the operation has raised.
    """
    if isinstance(error, SamebitsError) or not isinstance(error, Exception):
        return
    try:
        # torch must not change anything either, where it takes what was refused.
        args, kwargs = tree_map_only(torch.Tensor, _copy, (args, kwargs or {}))
    except Exception:
        return  # tensors of a kind that has no memory to copy
    with isolated_rng():
        try:
            op(*args, **kwargs)
        except Exception as torchs:
            raise torchs from None


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """A tensor of the same values, shape and steps in memory of its own."""
    memory = tensor.untyped_storage().clone()  # type: ignore[no-untyped-call]
    place = (tensor.storage_offset(), tensor.size(), tensor.stride())
    return torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(memory, *place)
