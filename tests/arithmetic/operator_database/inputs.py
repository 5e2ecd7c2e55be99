"""The inputs of one sample: their values as bytes, and fresh copies in a layout that is asked for.

A layout changes where values lie in memory. `expanded` also changes the values, since memory is
read more than once; `unexpanded` has the same values, each in a place of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten


def plain(values: torch.Tensor) -> torch.Tensor:
    return values.clone(memory_format=torch.contiguous_format)


def strided(values: torch.Tensor) -> torch.Tensor:
    """Every second place of a larger memory, behind its beginning."""
    if not values.dim():
        return torch.stack([values, values])[1]
    memory = torch.zeros(*values.shape[:-1], 2 * values.shape[-1] + 1, dtype=values.dtype)
    view = memory[..., 1::2]
    return view.copy_(values)


def channels_last(values: torch.Tensor) -> torch.Tensor:
    """Images channels last; other tensors with their axes in reverse order."""
    if values.dim() == 4:
        return values.clone(memory_format=torch.channels_last)
    if values.dim() == 5:
        return values.clone(memory_format=torch.channels_last_3d)
    axes = tuple(reversed(range(values.dim())))
    return values.permute(axes).clone(memory_format=torch.contiguous_format).permute(axes)


def expanded(values: torch.Tensor) -> torch.Tensor:
    """The values at the beginning of the first axis that has more, for all of it."""
    for axis, size in enumerate(values.shape):
        if size > 1 and values.dtype.is_floating_point:
            return values.narrow(axis, 0, 1).clone().expand_as(values)
    return values.clone(memory_format=torch.contiguous_format)


def unexpanded(values: torch.Tensor) -> torch.Tensor:
    return expanded(values).clone(memory_format=torch.contiguous_format)


Layout = Callable[[torch.Tensor], torch.Tensor]


class Inputs:
    """Input, arguments and named arguments of a sample.

    Args:
        sample: One of torch's.
    """

    def __init__(self, sample: Any) -> None:
        self._leaves, self._structure = tree_flatten((sample.input, sample.args, sample.kwargs))
        self._values = [_values(leaf) for leaf in self._leaves]

    def structure(self) -> str:
        """What must be equal for values of one process to be those of another."""
        shapes = [(v.shape, v.dtype) if v is not None else None for v in self._values]
        return f"{self._structure} {shapes}"

    def to_bytes(self) -> bytes:
        """The values of all tensors, one after the other."""
        return b"".join(_memory(v).numpy().tobytes() for v in self._values if v is not None)

    def take(self, bytes_of_all: memoryview) -> int:
        """Replace the values by what `to_bytes` has given; return how many bytes that were."""
        place = 0
        for values in self._values:
            if values is not None and values.numel():
                memory = _memory(values)
                part = bytearray(bytes_of_all[place : place + memory.numel()])
                memory.copy_(torch.frombuffer(part, dtype=torch.uint8))
                place += memory.numel()
        return place

    def copies(self, layout: Layout) -> tuple[Any, Any, Any]:
        """Input, arguments and named arguments anew, in memory of their own."""
        leaves = []
        for leaf, values in zip(self._leaves, self._values, strict=True):
            if isinstance(leaf, torch.Tensor):
                own = leaf.detach().clone() if values is None else layout(values)
                leaves.append(own.detach().requires_grad_(leaf.requires_grad))
            else:  # torch draws some of the numbers, too
                leaves.append(values.item() if values is not None else leaf)
        return tree_unflatten(leaves, self._structure)  # type: ignore[return-value]


def _values(leaf: Any) -> torch.Tensor | None:
    """What a leaf holds, row-major; None where it is no tensor in plain memory and no float."""
    if type(leaf) is float:
        return torch.tensor(leaf, dtype=torch.float64)
    if not _plain(leaf):
        return None
    resolved = leaf.detach().resolve_conj().resolve_neg()
    return resolved.clone(memory_format=torch.contiguous_format)  # type: ignore[no-any-return]


def _plain(leaf: Any) -> bool:
    kind = type(leaf) in (torch.Tensor, torch.nn.Parameter)
    return (
        kind
        and leaf.layout == torch.strided
        and leaf.device.type == "cpu"
        and (not leaf.is_quantized)
    )


def _memory(values: torch.Tensor) -> torch.Tensor:
    return values.reshape(-1).view(torch.uint8)
