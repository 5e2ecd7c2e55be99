"""State as JSON: trees of plain values, with tensors and arrays set aside as entries.

`null`, booleans, text, lists, finite floats, integers below 2**53 and dicts with text as keys are
written as JSON has them. Everything else is an object whose key "$" says what it is. No type is
lost: a tuple is no list, `1` is not `1.0`, `-0.0` is not `0.0`, and a NaN keeps its payload.

What only code can make (functions, classes, members of enums, named tuples) is written by name;
`samebits.training.checkpoint.decoding` takes it from the live object's own state, and never
imports it.
"""

from __future__ import annotations

import enum
import math
import struct
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from samebits.core.names import printable
from samebits.errors import CheckpointError
from samebits.training.checkpoint.entries import (
    StoredEntry,
    Wanted,
    array_entry,
    describe,
    tensor_entries,
)

MAX_DEPTH = 100
"""Deeper trees are refused: what reads them must not run out of stack."""
EXACT_INTEGERS = 2**53
"""Below this every reader of JSON keeps an integer's value."""

FACTORIES: dict[str, Callable[[], Any] | None] = {
    "None": None,
    "bool": bool,
    "dict": dict,
    "float": float,
    "int": int,
    "list": list,
    "set": set,
    "str": str,
    "tuple": tuple,
}
"""What a defaultdict may make its values with."""

COMPRESSED = {
    torch.sparse_csr: ("crow_indices", "col_indices"),
    torch.sparse_bsr: ("crow_indices", "col_indices"),
    torch.sparse_csc: ("ccol_indices", "row_indices"),
    torch.sparse_bsc: ("ccol_indices", "row_indices"),
}
_PLAIN_TENSORS = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodDescriptorType,
    type,
)
NUMPY_KINDS = "biufcSUmM"

Foreign = Callable[[Any, str], "dict[str, Any] | None"]


class Encoder:
    """Turns values into JSON; collects the bytes that are stored beside it.

    Args:
        foreign: Asked first about each tensor, with its name: a node for one that is stored
            elsewhere (a shard of a distributed tensor), None for one that is to be stored here.
    """

    def __init__(self, foreign: Foreign | None = None) -> None:
        self._foreign = foreign
        self._wanted: list[Wanted] = []
        self._arrays: list[tuple[str, np.ndarray[Any, Any]]] = []
        self._names: set[str] = set()
        self._known: dict[int, tuple[torch.Tensor, dict[str, Any]]] = {}
        self._above: list[Any] = []

    def encode(self, value: Any, path: str) -> Any:
        """The JSON of a value; the nodes of tensors are complete after `entries`.

        Args:
            value: Any tree of values that can be stored.
            path: What the value is called: "optimizer".

        Raises:
            CheckpointError: Something in it cannot be stored; the message names the key.
        """
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            return value
        if kind is int:
            return value if abs(value) < EXACT_INTEGERS else {"$": "int", "hex": hex(value)}
        if kind is float:
            if math.isfinite(value):
                return value
            return {"$": "float", "bits": struct.pack(">d", value).hex()}
        if isinstance(value, torch.Tensor):
            return self._tensor(value, path)
        if isinstance(value, (np.ndarray, np.generic)):
            return self._numpy(value, path)
        node = _leaf(value)
        return self._container(value, path) if node is None else node

    def entries(self) -> list[StoredEntry]:
        """The bytes to store; call it once, after everything was encoded."""
        return [
            *tensor_entries(self._wanted),
            *(array_entry(name, array) for name, array in self._arrays),
        ]

    def _container(self, value: Any, path: str) -> Any:
        if any(above is value for above in self._above):
            raise CheckpointError(f"{_at(path)} contains itself, and cannot be stored")
        if len(self._above) >= MAX_DEPTH:
            raise CheckpointError(f"{_at(path)} lies more than {MAX_DEPTH} levels deep")
        self._above.append(value)
        try:
            return self._parts(value, path)
        finally:
            self._above.pop()

    def _parts(self, value: Any, path: str) -> Any:
        kind = type(value)
        if kind is dict:
            if "$" not in value and all(type(key) is str for key in value):
                return {k: self.encode(v, f"{path}.{k}") for k, v in value.items()}
            return {"$": "dict", "items": self._pairs(value, path)}
        if kind is OrderedDict:
            node = {"$": "ordered", "items": self._pairs(value, path)}
            metadata = getattr(value, "_metadata", None)  # torch's: versions of modules
            if metadata is not None:
                node["metadata"] = self.encode(metadata, f"{path}._metadata")
            return node
        if kind is defaultdict:
            return {
                "$": "defaultdict",
                "factory": _factory(value.default_factory, path),
                "items": self._pairs(value, path),
            }
        if kind is Counter:
            return {"$": "counter", "items": self._pairs(value, path)}
        if kind is list:
            return self._items(value, path)
        if kind in (tuple, torch.Size, set, frozenset):
            name = "size" if kind is torch.Size else kind.__name__
            return {"$": name, "items": self._items(value, path)}
        if kind is deque:
            return {"$": "deque", "items": self._items(value, path), "maxlen": value.maxlen}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {"$": "live", "type": kind.__qualname__, "fields": self._items(value, path)}
        raise CheckpointError(
            f"{_at(path)} is a {kind.__module__}.{kind.__qualname__}, which cannot be stored",
            hint="State is made of tensors, arrays, numbers, text, None, lists, tuples, sets and "
            "dicts. Give the object's state_dict(), or leave the key out.",
        )

    def _pairs(self, mapping: Mapping[Any, Any], path: str) -> list[list[Any]]:
        return [
            [self.encode(key, f"{path} key"), self.encode(value, f"{path}.{_key(key)}")]
            for key, value in mapping.items()
        ]

    def _items(self, values: Any, path: str) -> list[Any]:
        return [self.encode(value, f"{path}.{i}") for i, value in enumerate(values)]

    def _tensor(self, tensor: torch.Tensor, path: str) -> dict[str, Any]:
        known = self._known.get(id(tensor))
        if known is not None:
            # The very same object, and not only the same memory.
            number = known[1].setdefault("number", len(self._known))
            return {"$": "same", "number": number}
        node = self._foreign(tensor, path) if self._foreign is not None else None
        if node is None:
            node = self._own_tensor(tensor, path)
        self._known[id(tensor)] = tensor, node
        return node

    def _own_tensor(self, tensor: torch.Tensor, path: str) -> dict[str, Any]:
        _require_bits(tensor, path)
        with torch.no_grad():
            if tensor.layout is torch.sparse_coo:
                return {
                    "$": "sparse_coo",
                    "shape": list(tensor.shape),
                    "coalesced": tensor.is_coalesced(),
                    "indices": self._tensor(tensor._indices(), f"{path}.indices"),
                    "values": self._tensor(tensor._values(), f"{path}.values"),
                }
            if tensor.layout in COMPRESSED:
                parts = [getattr(tensor, name)() for name in COMPRESSED[tensor.layout]]
                return {
                    "$": "sparse_compressed",
                    "layout": str(tensor.layout).removeprefix("torch."),
                    "shape": list(tensor.shape),
                    "indices": [
                        self._tensor(part, f"{path}.indices.{i}") for i, part in enumerate(parts)
                    ],
                    "values": self._tensor(tensor.values(), f"{path}.values"),
                }
            strided = tensor.detach().resolve_conj().resolve_neg()
        node = {"$": "tensor", **describe(tensor)}
        self._wanted.append(Wanted(tensor=strided, name=self._named(path), node=node))
        return node

    def _numpy(self, value: Any, path: str) -> dict[str, Any]:
        if type(value).__module__ != "numpy" or value.dtype.kind not in NUMPY_KINDS:
            raise CheckpointError(
                f"{_at(path)} is a {type(value).__module__}.{type(value).__qualname__} of dtype "
                f"{value.dtype}, which cannot be stored",
                hint="Arrays of numbers, booleans, fixed-size text and dates can.",
            )
        dtype = value.dtype.str
        if value.dtype.kind in "mM" or isinstance(value, np.ndarray):
            node = {"$": "array", "dtype": dtype, "shape": list(value.shape)}
            if not isinstance(value, np.ndarray):
                node["scalar"] = True
            elif value.flags.f_contiguous and not value.flags.c_contiguous:
                node["order"] = "F"
            # A copy of its own: arrays are small, and may be read-only or foreign memory.
            array = np.array(value.T if "order" in node else value, order="C", copy=True)
            node["entry"] = self._named(path)
            self._arrays.append((node["entry"], array))
            return node
        return {"$": "scalar", "dtype": dtype, "bytes": value.tobytes().hex()}

    def _named(self, path: str) -> str:
        name, number = path, 1
        while name in self._names:
            number += 1
            name = f"{path}~{number}"
        self._names.add(name)
        return name


def _leaf(value: Any) -> dict[str, Any] | None:
    """The node of a value without parts; None for anything else."""
    kind = type(value)
    if kind is complex:
        return {"$": "complex", "bits": struct.pack(">2d", value.real, value.imag).hex()}
    if kind in (bytes, bytearray):
        return {"$": kind.__name__, "hex": value.hex()}
    if kind is range:
        return {"$": "range", "start": value.start, "stop": value.stop, "step": value.step}
    if kind is torch.dtype:
        return {"$": "dtype", "name": str(value).removeprefix("torch.")}
    if kind is torch.device:
        return {"$": "device", "name": str(value)}
    if isinstance(value, enum.Enum):
        return {"$": "live", "type": kind.__qualname__, "member": value.name}
    if isinstance(value, _FUNCTIONS):
        return {"$": "live", "type": "function", "name": value.__qualname__}
    return None


def _factory(factory: Any, path: str) -> str:
    for name, known in FACTORIES.items():
        if factory is known:
            return name
    raise CheckpointError(
        f"{_at(path)} is a defaultdict that makes its values by {factory!r}, "
        "which cannot be stored",
        hint=f"One of these can: {', '.join(FACTORIES)}.",
    )


def _require_bits(tensor: torch.Tensor, path: str) -> None:
    if type(tensor) not in _PLAIN_TENSORS:
        what = f"a {type(tensor).__module__}.{type(tensor).__qualname__}"
    elif tensor.is_meta:
        what = "a meta tensor, which has no bits"
    elif tensor.is_quantized or tensor.is_nested:
        what = "a quantized tensor" if tensor.is_quantized else "a nested tensor"
    elif tensor.layout not in (torch.strided, torch.sparse_coo, *COMPRESSED):
        what = f"a tensor of layout {tensor.layout}"
    else:
        return
    raise CheckpointError(
        f"{_at(path)} is {what}, and cannot be stored",
        hint="Strided and sparse tensors, and distributed ones under torch.distributed, can.",
    )


def _key(key: Any) -> str:
    return str(key) if isinstance(key, (str, int, float)) else type(key).__name__


def _at(path: str) -> str:
    return printable(path)
