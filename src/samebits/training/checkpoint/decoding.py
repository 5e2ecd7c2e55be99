"""From JSON and stored bytes back to values of the same bits and the same types.

Nothing that a file says is executed or imported. What only code can make is taken from the live
object's own state, where it stands in the same place.
"""

from __future__ import annotations

import enum
import struct
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from samebits.core.names import printable
from samebits.errors import CheckpointError
from samebits.training.checkpoint.dtypes import dtype_named, stored_form, stored_form_of_array
from samebits.training.checkpoint.encoding import COMPRESSED, FACTORIES, MAX_DEPTH, NUMPY_KINDS
from samebits.training.checkpoint.tensor_file import StoredTensor

DAMAGED = "The checkpoint is damaged or was edited; restore an earlier one."

_MISSING = object()
_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
    "size": torch.Size,
}

Elsewhere = Callable[[dict[str, Any], str], Any]


class Decoder:
    """Turns JSON nodes into values.

    Args:
        load: Gives the bytes of an entry as a one-dimensional uint8 tensor of its own memory, and
            how they were stored.
        elsewhere: Makes the value of a node that the encoder's `foreign` wrote.
    """

    def __init__(
        self,
        load: Callable[[str], tuple[torch.Tensor, StoredTensor]],
        elsewhere: Elsewhere | None = None,
    ) -> None:
        self._load = load
        self._elsewhere = elsewhere
        self._memory: dict[str, tuple[torch.Tensor, StoredTensor]] = {}
        self._numbered: dict[int, Any] = {}
        self._depth = 0

    def decode(self, node: Any, path: str, live: Any = _MISSING) -> Any:
        """The value of a node.

        Args:
            node: Parsed JSON.
            path: What the value is called, for messages.
            live: The same value of the running program, to take functions and classes from.

        Raises:
            CheckpointError: The node makes no sense, or needs what the program does not have.
        """
        if node is None or isinstance(node, (bool, str, int, float)):
            return node
        self._depth += 1
        try:
            if self._depth > MAX_DEPTH + 20:
                raise CheckpointError(f"{printable(path)} lies too deep", hint=DAMAGED)
            if isinstance(node, list):
                return [
                    self.decode(item, f"{path}.{i}", _at(live, i)) for i, item in enumerate(node)
                ]
            if not isinstance(node, dict):
                raise CheckpointError(f"{printable(path)} makes no sense", hint=DAMAGED)
            if "$" not in node:
                return {
                    key: self.decode(item, f"{path}.{key}", _at(live, key))
                    for key, item in node.items()
                }
            return self._special(node, path, live)
        except CheckpointError:
            raise
        except Exception as error:  # torch and NumPy have errors of every kind for nonsense
            raise CheckpointError(
                f"{printable(path)} makes no sense ({type(error).__name__}: "
                f"{printable(str(error), 120)})",
                hint=DAMAGED,
            ) from error
        finally:
            self._depth -= 1

    def _special(self, node: dict[str, Any], path: str, live: Any) -> Any:
        kind = node["$"]
        if kind in _VALUES:
            return _VALUES[kind](node)
        if kind in _SEQUENCES:
            values = [self.decode(v, f"{path}.{i}", _at(live, i)) for i, v in _items(node)]
            return _SEQUENCES[kind](values)
        if kind == "deque":
            values = [self.decode(v, f"{path}.{i}") for i, v in _items(node)]
            return deque(values, node["maxlen"])
        if kind in ("dict", "ordered", "defaultdict", "counter"):
            return self._mapping(kind, node, path, live)
        if kind == "live":
            return self._from_live(node, path, live)
        if kind == "same":
            return self._numbered[node["number"]]
        value = self._stored(kind, node, path)
        if "number" in node:
            self._numbered[node["number"]] = value
        return value

    def _stored(self, kind: str, node: dict[str, Any], path: str) -> Any:
        if kind == "tensor":
            return self._tensor(node, path)
        if kind == "array":
            return self._array(node)
        if kind == "sparse_coo":
            indices, values = (self.decode(node[k], f"{path}.{k}") for k in ("indices", "values"))
            return torch.sparse_coo_tensor(
                indices,
                values,
                node["shape"],
                is_coalesced=bool(node["coalesced"]),
                check_invariants=True,
            )
        if kind == "sparse_compressed":
            layout = next(one for one in COMPRESSED if str(one) == f"torch.{node['layout']}")
            first, second = self.decode(node["indices"], f"{path}.indices")
            values = self.decode(node["values"], f"{path}.values")
            return torch.sparse_compressed_tensor(
                first, second, values, node["shape"], layout=layout, check_invariants=True
            )
        if self._elsewhere is not None:
            return self._elsewhere(node, path)
        raise CheckpointError(
            f"{printable(path)} is of a kind that this version does not know: "
            f"{printable(repr(kind), 80)}",
            hint="It was saved by several processes: restore it under torch.distributed."
            if kind == "sharded"
            else "Restore it with the version of samebits that wrote it.",
        )

    def _mapping(self, kind: str, node: dict[str, Any], path: str, live: Any) -> Any:
        pairs = []
        for pair in node["items"]:
            key = self.decode(pair[0], f"{path} key")
            pairs.append((key, self.decode(pair[1], f"{path}.{key}", _at(live, key))))
        if kind == "dict":
            return dict(pairs)
        if kind == "counter":
            return Counter(dict(pairs))
        if kind == "defaultdict":
            return defaultdict(FACTORIES[node["factory"]], pairs)
        ordered = OrderedDict(pairs)
        if "metadata" in node:
            metadata = self.decode(node["metadata"], f"{path}._metadata")
            ordered._metadata = metadata  # type: ignore[attr-defined]
        return ordered

    def _from_live(self, node: dict[str, Any], path: str, live: Any) -> Any:
        """What a file can only name: the program must have it in the same place."""
        if "fields" in node:
            fields = [self.decode(v, f"{path}.{i}") for i, v in enumerate(node["fields"])]
            if type(live).__qualname__ == node["type"] and hasattr(live, "_make"):
                return type(live)._make(fields)
            wanted = f"a {node['type']}"
        elif "member" in node:
            if isinstance(live, enum.Enum) and type(live).__qualname__ == node["type"]:
                return type(live)[node["member"]]
            wanted = f"a {node['type']}"
        else:
            if getattr(live, "__qualname__", None) == node["name"]:
                return live
            wanted = f"the function {node['name']}"
        found = "nothing" if live is _MISSING else f"a {type(live).__qualname__}"
        raise CheckpointError(
            f"{printable(path)} was {printable(wanted)} when it was saved; the program now has "
            f"{printable(found)} there",
            hint="Build the object as the run that was saved did.",
        )

    def _bytes(self, node: dict[str, Any]) -> tuple[torch.Tensor, StoredTensor]:
        name = node["entry"]
        if name not in self._memory:
            self._memory[name] = self._load(name)
        return self._memory[name]

    def _tensor(self, node: dict[str, Any], path: str) -> torch.Tensor:
        memory, stored = self._bytes(node)
        dtype = dtype_named(node["dtype"])
        if dtype is None:
            raise CheckpointError(
                f"{printable(path)} has dtype {printable(str(node['dtype']), 40)}, which this "
                "torch does not know",
                hint="Restore it with the version of torch that saved it.",
            )
        shape = _sizes(node["shape"])
        if 0 in shape:
            tensor = memory[:0].view(dtype).reshape(shape)
        else:
            stride = _sizes(node["stride"]) if "stride" in node else _contiguous(shape)
            offset = node.get("offset", 0)
            if "stride" not in node and stored_form(dtype, shape) != (stored.dtype, stored.shape):
                raise CheckpointError(f"{printable(path)} is stored otherwise", hint=DAMAGED)
            last = offset + sum((n - 1) * s for n, s in zip(shape, stride, strict=True))
            if type(offset) is not int or offset < 0 or (last + 1) * dtype.itemsize > memory.nbytes:
                raise CheckpointError(f"{printable(path)} reaches past its bytes", hint=DAMAGED)
            whole = memory[: memory.nbytes - memory.nbytes % dtype.itemsize].view(dtype)
            tensor = whole.as_strided(shape, stride, offset)
        if "parameter" in node:
            return torch.nn.Parameter(tensor, requires_grad=bool(node["parameter"]))
        return tensor.requires_grad_() if node.get("requires_grad") is True else tensor

    def _array(self, node: dict[str, Any]) -> Any:
        memory, stored = self._bytes(node)
        dtype, shape = _numpy_dtype(node["dtype"]), _sizes(node["shape"])
        fortran = node.get("order") == "F"
        physical = shape[::-1] if fortran else shape
        if stored_form_of_array(dtype, physical) != (stored.dtype, stored.shape):
            raise ValueError("the array is stored otherwise")
        array = np.frombuffer(memory.numpy().tobytes(), dtype=dtype).reshape(physical).copy()
        if node.get("scalar") is True:
            return array[()]
        return array.T if fortran else array


def _at(live: Any, key: Any) -> Any:
    """The part of a live value under a key; `_MISSING` where it has none."""
    if isinstance(live, Mapping):
        return live.get(key, _MISSING)
    if isinstance(live, Sequence) and not isinstance(live, (str, bytes)) and isinstance(key, int):
        return live[key] if 0 <= key < len(live) else _MISSING
    return _MISSING


def _items(node: dict[str, Any]) -> list[tuple[int, Any]]:
    return list(enumerate(node["items"]))


def _sizes(values: Any) -> tuple[int, ...]:
    if not all(type(v) is int and 0 <= v < 2**62 for v in values):
        raise ValueError("sizes must be integers from 0")
    return tuple(values)


def _contiguous(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _float(bits: str) -> float:
    return float(struct.unpack(">d", bytes.fromhex(bits))[0])


def _dtype(node: dict[str, Any]) -> torch.dtype:
    found = dtype_named(node["name"])
    if found is None:
        raise ValueError(f"there is no dtype {node['name']}")
    return found


def _scalar(node: dict[str, Any]) -> Any:
    (value,) = np.frombuffer(bytes.fromhex(node["bytes"]), dtype=_numpy_dtype(node["dtype"]))
    return value


def _numpy_dtype(name: Any) -> np.dtype[Any]:
    dtype = np.dtype(name) if isinstance(name, str) else None
    if dtype is None or dtype.kind not in NUMPY_KINDS or not dtype.itemsize:
        raise ValueError(f"{name!r} is no dtype that is stored")
    return dtype


_VALUES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "int": lambda node: int(node["hex"], 16),
    "float": lambda node: _float(node["bits"]),
    "complex": lambda node: complex(*struct.unpack(">2d", bytes.fromhex(node["bits"]))),
    "bytes": lambda node: bytes.fromhex(node["hex"]),
    "bytearray": lambda node: bytearray.fromhex(node["hex"]),
    "range": lambda node: range(node["start"], node["stop"], node["step"]),
    "dtype": _dtype,
    "device": lambda node: torch.device(node["name"]),
    "scalar": _scalar,
}
