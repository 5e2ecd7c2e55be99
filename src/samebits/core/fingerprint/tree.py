"""The fingerprint of a tree: containers, modules, optimizers, down to tensors and values."""

from __future__ import annotations

import dataclasses
import struct
import sys
from collections.abc import Mapping, Set
from typing import Any

from samebits.core import _native
from samebits.core.fingerprint.composite import CompositeKind, integer, leaf, node, text
from samebits.core.fingerprint.dtypes import CODES, NUMPY
from samebits.errors import UsageError

_MAX_DEPTH = 200


def fingerprint(obj: Any) -> str:
    """The fingerprint of a tensor, an array, a module, an optimizer, or a tree of plain values.

    Equal fingerprints mean equal bits, dtypes, shapes, names and structure, but for a chance of
    one in 2**64. It does not depend on devices, strides, hash seed, insertion order of dicts or
    sets, process or machine.

    - A tensor and a NumPy array of the same dtype, shape and bits have the same fingerprint.
    - Anything with a `state_dict()` (modules, optimizers, schedulers) counts as that dict: what
      would be saved, under its names.
    - Numbers count with their type: 1, 1.0 and True differ, as do 0.0 and -0.0.

    Args:
        obj: Tensors, arrays, None, bool, int, float, complex, str, bytes, torch dtypes and devices,
            torch generators, and lists, tuples, sets, mappings and dataclasses of these.

    Returns:
        Sixteen hexadecimal digits.

    Raises:
        UsageError: Something in the tree has no fingerprint, contains itself or lies more than
            200 levels deep; the message names the place.

    Example:
        >>> fingerprint({"lr": 0.1, "betas": (0.9, 0.999)}) == fingerprint(
        ...     {"betas": (0.9, 0.999), "lr": 0.1})
        True
    """
    return f"{_Walk().visit(obj, ''):016x}"


class _Walk:
    """One traversal; remembers the objects above the current one, to see cycles."""

    def __init__(self) -> None:
        self._above: dict[int, str] = {}

    def visit(self, obj: Any, path: str) -> int:
        value = _plain(obj)
        if value is None:
            value = _array(obj, path)
        return self._container(obj, path) if value is None else value

    def _container(self, obj: Any, path: str) -> int:
        if id(obj) in self._above:
            above = _at(self._above[id(obj)])
            raise UsageError(
                f"{_at(path)} is the same object as {above}, which contains it",
                hint="A cycle has no fingerprint; give the parts without it.",
            )
        if len(self._above) >= _MAX_DEPTH:
            raise UsageError(f"{_at(path)} lies more than {_MAX_DEPTH} levels deep")
        self._above[id(obj)] = path
        try:
            return self._parts(obj, path)
        finally:
            del self._above[id(obj)]

    def _parts(self, obj: Any, path: str) -> int:
        if isinstance(obj, Mapping):
            return self._mapping(obj, path)
        if isinstance(obj, tuple) and hasattr(obj, "_fields"):
            pairs = zip(obj._fields, obj, strict=True)
            return self._named(CompositeKind.NAMED_TUPLE, obj, dict(pairs), path)
        if isinstance(obj, (list, tuple)):
            kind = CompositeKind.LIST if isinstance(obj, list) else CompositeKind.TUPLE
            return node(kind, [self.visit(item, f"{path}[{i}]") for i, item in enumerate(obj)])
        if isinstance(obj, Set):
            return node(CompositeKind.SET, sorted(self.visit(item, f"{path}{{…}}") for item in obj))
        if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
            fields = {f.name: getattr(obj, f.name) for f in dataclasses.fields(obj)}
            return self._named(CompositeKind.DATACLASS, obj, fields, path)
        state_dict = getattr(obj, "state_dict", None)
        if callable(state_dict) and not isinstance(obj, type):
            return self.visit(state_dict(), path)
        raise UsageError(
            f"{_at(path)} is a {_type_name(obj)}, which has no fingerprint",
            hint="Give its tensors and plain values instead, or an object with a state_dict().",
        )

    def _mapping(self, obj: Mapping[Any, Any], path: str) -> int:
        # Sorted by the keys' own fingerprints: any mixture of key types has an order.
        items = sorted(
            (self.visit(key, f"{path} key"), self.visit(value, f"{path}[{_key_name(key)}]"))
            for key, value in obj.items()
        )
        return node(CompositeKind.DICT, [part for item in items for part in item])

    def _named(self, kind: CompositeKind, obj: Any, fields: dict[str, Any], path: str) -> int:
        parts = [text(type(obj).__qualname__)]
        for name, value in fields.items():
            parts += [text(name), self.visit(value, f"{path}.{name}")]
        return node(kind, parts)


def _plain(obj: Any) -> int | None:
    """The fingerprint of a plain Python value, None for anything else."""
    if obj is None:
        return leaf(CompositeKind.NONE, b"")
    if _is_numpy(obj):  # before float and complex: NumPy's double is a subclass of float
        return None
    if isinstance(obj, bool):
        return leaf(CompositeKind.BOOL, bytes([obj]))
    if isinstance(obj, int):
        return integer(int(obj))
    if isinstance(obj, float):
        return leaf(CompositeKind.FLOAT, struct.pack("<d", obj))
    if isinstance(obj, complex):
        return leaf(CompositeKind.COMPLEX, struct.pack("<2d", obj.real, obj.imag))
    if isinstance(obj, str):
        return text(obj)
    if isinstance(obj, (bytes, bytearray)):
        return leaf(CompositeKind.BYTES, bytes(obj))
    return None


def _array(obj: Any, path: str) -> int | None:
    """The fingerprint of what torch or NumPy own, None for anything else; imports neither."""
    torch = sys.modules.get("torch")
    if torch is not None:
        if isinstance(obj, torch.Tensor):
            from samebits.core.fingerprint.tensor import fingerprint_tensor

            try:
                return fingerprint_tensor(obj)
            except UsageError as error:
                raise UsageError(f"{_at(path)}: {error.message}", hint=error.hint) from None
        if isinstance(obj, torch.dtype):
            return leaf(CompositeKind.DTYPE, str(obj).encode())
        if isinstance(obj, torch.device):
            return leaf(CompositeKind.DEVICE, str(obj).encode())
        if isinstance(obj, torch.Generator):
            return node(CompositeKind.GENERATOR, [_array(obj.get_state(), path) or 0])
    return _numpy(obj, path) if _is_numpy(obj) else None


def _is_numpy(obj: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(obj, (numpy.ndarray, numpy.generic))


def _numpy(obj: Any, path: str) -> int:
    import numpy as np

    array = np.asarray(obj)
    # Byte order is how values are stored, not what they are.
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    kind, itemsize = array.dtype.kind, array.dtype.itemsize
    name = NUMPY.get((kind, itemsize))
    if name is not None:
        return _numpy_view(array, CODES[name])
    if kind in "mM":  # dates and durations: counts of the unit that the dtype names
        counts = _numpy_view(array.view(np.int64), CODES["int64"])
        return node(CompositeKind.NUMPY_OTHER, [text(str(array.dtype)), counts])
    if kind in "SU":
        content = leaf(CompositeKind.BYTES, array.tobytes())
        shape = [integer(size) for size in array.shape]
        return node(CompositeKind.NUMPY_OTHER, [text(str(array.dtype)), content, *shape])
    raise UsageError(
        f"{_at(path)} is an array of {array.dtype}, which has no fingerprint",
        hint="Object arrays hold addresses, and structured and extended-precision ones padding "
        "that nobody sets; give their fields or their values as arrays of numbers.",
    )


def _numpy_view(array: Any, code: int) -> int:
    import numpy as np

    # A field of a structured array may lie at distances that are no multiple of its size.
    if any(stride % array.itemsize for stride in array.strides):
        array = np.ascontiguousarray(array).reshape(array.shape)
    strides = [stride // array.itemsize for stride in array.strides]
    return _native.fingerprint_view(array.ctypes.data, array.itemsize, array.shape, strides, code)


def _at(path: str) -> str:
    return f"object{path}" if path else "the object"


def _key_name(key: Any) -> str:
    return repr(key) if isinstance(key, (str, int, float, bytes)) else _type_name(key)


def _type_name(obj: Any) -> str:
    kind = type(obj)
    return f"{kind.__module__}.{kind.__qualname__}"
