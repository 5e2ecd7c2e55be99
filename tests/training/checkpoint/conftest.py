"""Values there and back through JSON and a file, and what makes two values the same."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from samebits.training.checkpoint.decoding import Decoder
from samebits.training.checkpoint.encoding import Encoder
from samebits.training.checkpoint.tensor_file import TensorFile, TensorReader, write_tensors
from samebits.training.control import isolated_rng


@pytest.fixture(autouse=True)
def generators_put_back():
    with isolated_rng():
        yield


def bits_equal(a: Any, b: Any) -> bool:
    """Whether two trees agree in types, structure and bits; asks nothing of the code tested."""
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        return tensors_equal(a, b)
    if isinstance(a, np.ndarray):
        same = a.dtype.str == b.dtype.str and a.shape == b.shape
        return same and a.flags.f_contiguous == b.flags.f_contiguous and a.tobytes() == b.tobytes()
    if isinstance(a, np.generic):
        return a.dtype.str == b.dtype.str and a.tobytes() == b.tobytes()
    if isinstance(a, dict):
        return (
            list(a) == list(b)
            and [type(k) for k in a] == [type(k) for k in b]
            and all(bits_equal(a[k], b[k]) for k in a)
            and getattr(a, "default_factory", None) is getattr(b, "default_factory", None)
            and bits_equal(getattr(a, "_metadata", None), getattr(b, "_metadata", None))
        )
    if isinstance(a, (set, frozenset)):
        return a == b
    if isinstance(a, (list, tuple)) or type(a).__name__ == "deque":
        return len(a) == len(b) and all(map(bits_equal, a, b))
    if isinstance(a, float):
        return struct.pack("<d", a) == struct.pack("<d", b)
    if isinstance(a, complex):
        return struct.pack("<2d", a.real, a.imag) == struct.pack("<2d", b.real, b.imag)
    return bool(a == b)


def tensors_equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    if (a.dtype, a.shape, a.layout, a.requires_grad) != (
        b.dtype,
        b.shape,
        b.layout,
        b.requires_grad,
    ):
        return False
    if a.layout is not torch.strided:
        return bits_equal(a.detach().to_dense(), b.detach().to_dense())
    if a.stride() != b.stride():
        return False
    raw = [
        bytes(t.detach().contiguous().reshape(-1).view(torch.uint8).numpy()) if t.numel() else b""
        for t in (a, b)
    ]
    return raw[0] == raw[1]


@pytest.fixture
def same_bits() -> Callable[[Any, Any], bool]:
    return bits_equal


@pytest.fixture
def there_and_back(tmp_path: Path) -> Callable[..., Any]:
    """Encode a value, write its bytes, read them, decode."""

    def go(value: Any, live: Any = None) -> Any:
        encoder = Encoder()
        node = encoder.encode(value, "x")
        path = tmp_path / "tensors.safetensors"
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
        try:
            described = write_tensors(descriptor, encoder.entries())
        finally:
            os.close(descriptor)
        text = json.dumps({"node": node, "file": described.to_json()}, allow_nan=False)
        parsed = json.loads(text)
        with TensorReader(path, TensorFile.from_json(parsed["file"], "x")) as reader:
            return Decoder(reader.load).decode(parsed["node"], "x", live)

    return go
