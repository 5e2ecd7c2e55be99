"""Saving the outputs of one operation, so that two runs' values can be laid side by side."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

_STORABLE = frozenset(
    {
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.complex64,
    }
)


def save_outputs(result: Any, written: list[Any], path: Path) -> None:
    """Save every plain tensor that an operation returned or wrote, in order, as safetensors.

    Args:
        result: What the operation returned: a tensor, or tuples and lists of them.
        written: Arguments that it wrote into.
        path: The file to write; what cannot be stored (sparse, quantized, rare dtypes) is left
            out.
    """
    from safetensors.torch import save

    seen: dict[int, torch.Tensor] = {}
    for tensor in (*written, *_tensors(result)):
        if tensor.layout is torch.strided and tensor.dtype in _STORABLE:
            seen.setdefault(id(tensor), tensor)
    content = {
        f"{place:04}": tensor.detach().cpu().resolve_conj().resolve_neg().contiguous().clone()
        for place, tensor in enumerate(seen.values())
    }
    path.write_bytes(save(content))


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _tensors(inner)
