"""Saving the outputs of one operation, so that two runs' values can be laid side by side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

_DTYPES = {
    torch.bool: "BOOL",
    torch.uint8: "U8",
    torch.int8: "I8",
    torch.int16: "I16",
    torch.int32: "I32",
    torch.int64: "I64",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.float32: "F32",
    torch.float64: "F64",
    torch.complex64: "C64",
}
"""What safetensors calls the dtypes that can be stored."""


def save_outputs(result: Any, written: list[Any], path: Path) -> None:
    """Save every plain tensor that an operation returned or wrote, in order, as safetensors.

    They are written from where they lie: a result of a gigabyte is not copied on the way, unless it
    is on a device or has gaps.

    Args:
        result: What the operation returned: a tensor, or tuples and lists of them.
        written: Arguments that it wrote into.
        path: The file to write; what cannot be stored (sparse, quantized, rare dtypes) is left
            out.
    """
    seen: dict[int, torch.Tensor] = {}
    for tensor in (*written, *_tensors(result)):
        if tensor.layout is torch.strided and tensor.dtype in _DTYPES:
            seen.setdefault(id(tensor), tensor)
    content = {f"{place:04}": tensor for place, tensor in enumerate(seen.values())}
    # The widest elements first, as safetensors orders them: each tensor is aligned then.
    names = sorted(content, key=lambda name: (-content[name].element_size(), name))
    header, end = {}, 0
    for name in names:
        tensor = content[name]
        begin, end = end, end + tensor.numel() * tensor.element_size()
        header[name] = {
            "dtype": _DTYPES[tensor.dtype],
            "shape": list(tensor.shape),
            "data_offsets": [begin, end],
        }
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for name in names:
            file.write(_bytes_of(content[name]))


def _bytes_of(tensor: torch.Tensor) -> memoryview:
    plain = tensor.detach().cpu().resolve_conj().resolve_neg().contiguous()
    # Not by reshape: a tensor of one element is contiguous whatever its stride says.
    flat = plain.as_strided((plain.numel(),), (1,))
    return flat.view(torch.uint8).numpy().data


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from _tensors(inner)
