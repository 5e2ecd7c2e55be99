"""What becomes of an operation whose exact form has refused its arguments.

Kernels check what they are given, but torch's texts name shapes and dtypes in terms that people
know. So where arguments are refused torch is asked what it would say. Tensors without values (of
the device "meta", as torch.export and deferred initialisation use them) are torch's own matter:
nothing is computed.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from samebits.errors import NotExactError
from samebits.training.control import isolated_rng


def after_refusal(op: Any, args: Any, kwargs: Any, error: BaseException) -> tuple[Any] | None:
    """Compute what has no values; raise what torch raises for arguments that have no meaning.

    Args:
        op: The operation.
        args: Its arguments; they are left as they are.
        kwargs: Its named arguments, or None.
        error: What the exact form of the operation has raised.

    Returns:
        The result in a tuple, or None where `error` is what there is to say.
    """
    kwargs = kwargs or {}
    if isinstance(error, NotExactError):
        return (op(*args, **kwargs),) if _without_values(args, kwargs) else None
    if isinstance(error, Exception):
        _raise_torchs_own(op, args, kwargs)
    return None


def _without_values(args: Any, kwargs: Any) -> bool:
    """Whether all tensors that there are, and those to be made, are of the device "meta"."""
    devices = {
        leaf.device for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, torch.Tensor)
    }
    if kwargs.get("device") is not None:
        devices.add(torch.device(kwargs["device"]))
    return {device.type for device in devices} == {"meta"}


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
