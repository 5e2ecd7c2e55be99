"""What becomes of an operation whose exact form has refused its arguments.

Kernels check what they are given, but torch's texts name shapes and dtypes in terms that people
know. So where arguments are refused torch is asked what it would say.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_map_only

from samebits.errors import NotExactError
from samebits.training.control import isolated_rng


def after_refusal(op: Any, args: Any, kwargs: Any, error: BaseException) -> None:
    """Raise what torch raises for arguments that have no meaning.

    Args:
        op: The operation.
        args: Its arguments; they are left as they are.
        kwargs: Its named arguments, or None.
        error: What the exact form of the operation has raised.

    Returns where `error` is what there is to say.
    """
    if isinstance(error, Exception) and not isinstance(error, NotExactError):
        _raise_torchs_own(op, args, kwargs or {})


def _raise_torchs_own(op: Any, args: Any, kwargs: Any) -> None:
    try:
        # torch must not change anything either, where it takes what was refused.
        args, kwargs = tree_map_only(torch.Tensor, _copy, (args, kwargs))
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
