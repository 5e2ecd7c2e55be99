"""Which bytes of memory a checkpoint stores, so that tensors that share memory do so again.

An *entry* is a run of bytes under a name. Most tensors are an entry each. Tensors that overlap in
memory are views into one entry, and so their sharing, strides and offsets survive.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from samebits.training.checkpoint.dtypes import dtype_name, stored_form, stored_form_of_array


@dataclass(kw_only=True)
class StoredEntry:
    """A run of bytes to be stored.

    Attributes:
        name: Its name in the file.
        dtype: As safetensors calls it.
        shape: Of the stored tensor.
        source: Contiguous tensor on any device, or array, whose memory holds the bytes.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    source: torch.Tensor | np.ndarray[Any, Any]

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.source.nbytes


@dataclass(kw_only=True)
class Wanted:
    """A tensor that the tree refers to, and the JSON node to complete once its entry is known.

    Attributes:
        tensor: Strided tensor.
        name: The name that the tree suggests for it.
        node: Gets "entry", and "stride" and "offset" (in elements) where they are not plain.
    """

    tensor: torch.Tensor
    name: str
    node: dict[str, Any]


_PLACE = ("entry", "stride", "offset")


def memory_of(source: torch.Tensor | np.ndarray[Any, Any]) -> memoryview:
    """The bytes of a contiguous CPU tensor or array, without a copy; the caller keeps it alive."""
    address = source.data_ptr() if isinstance(source, torch.Tensor) else source.ctypes.data
    if source.nbytes == 0:
        return memoryview(b"")
    return memoryview((ctypes.c_char * source.nbytes).from_address(address)).cast("B")


def array_entry(name: str, array: np.ndarray[Any, Any]) -> StoredEntry:
    """The entry of a NumPy array.

    Args:
        name: Its name in the file.
        array: C-contiguous, of a dtype without objects.
    """
    dtype, shape = stored_form_of_array(array.dtype, array.shape)
    return StoredEntry(name=name, dtype=dtype, shape=shape, source=array)


def tensor_entries(wanted: Iterable[Wanted]) -> list[StoredEntry]:
    """The entries that hold the given tensors; completes their nodes."""
    entries: list[StoredEntry] = []
    storages: dict[tuple[str, int], list[Wanted]] = {}
    for one in wanted:
        tensor = one.tensor
        if tensor.numel() == 0:
            entries.append(_whole(one))
        else:
            key = str(tensor.device), tensor.untyped_storage().data_ptr()
            storages.setdefault(key, []).append(one)
    for sharing in storages.values():
        for group in _overlapping(sharing):
            entries.append(_shared(group))
    return entries


def _shared(group: list[Wanted]) -> StoredEntry:
    first, *others = group
    if any(_view(one.tensor) != _view(first.tensor) for one in others):
        return _span(group)
    entry = _whole(first)  # tied weights, or a single tensor
    for one in others:
        one.node.update({key: first.node[key] for key in _PLACE if key in first.node})
    return entry


def _whole(one: Wanted) -> StoredEntry:
    """The entry of a tensor that shares its memory with no other."""
    tensor, node = one.tensor, one.node
    if not tensor.is_contiguous():
        order = sorted(range(tensor.ndim), key=tensor.stride, reverse=True)
        physical = tensor.permute(order)
        if physical.is_contiguous():
            node["stride"] = list(tensor.stride())
            tensor = physical
        elif _extent(tensor) <= 2 * tensor.numel():
            return _span([one])
        else:
            # A few elements far apart: their values count, not the memory between them.
            tensor = tensor.contiguous()
    node["entry"] = one.name
    dtype, shape = stored_form(tensor.dtype, tuple(tensor.shape))
    return StoredEntry(name=one.name, dtype=dtype, shape=shape, source=tensor)


def _span(group: list[Wanted]) -> StoredEntry:
    """The entry of all memory from the first byte of these tensors to the last."""
    first = min(_range(one.tensor)[0] for one in group)
    last = max(_range(one.tensor)[1] for one in group)
    storage = group[0].tensor.untyped_storage()
    start = first - storage.data_ptr()
    name = group[0].name
    dtypes = {one.tensor.dtype for one in group}
    sizes = [one.tensor.element_size() for one in group]
    plain = len(dtypes) == 1 and all(
        (_range(one.tensor)[0] - first) % size == 0 for one, size in zip(group, sizes, strict=True)
    )
    dtype = group[0].tensor.dtype if plain else torch.uint8
    source = torch.empty(0, dtype=dtype, device=storage.device).set_(
        storage, start // dtype.itemsize, ((last - first) // dtype.itemsize,), (1,)
    )
    if start % dtype.itemsize:
        raise AssertionError(f"misaligned storage behind {name}")
    for one, size in zip(group, sizes, strict=True):
        one.node["entry"] = name
        one.node["stride"] = list(one.tensor.stride())
        offset = _range(one.tensor)[0] - first
        assert offset % size == 0, name
        one.node["offset"] = offset // size
    stored_dtype, shape = stored_form(dtype, tuple(source.shape))
    return StoredEntry(name=name, dtype=stored_dtype, shape=shape, source=source)


def _overlapping(sharing: list[Wanted]) -> Iterable[list[Wanted]]:
    """Tensors of one storage in groups that share bytes; groups have no byte in common."""
    if len(sharing) == 1:
        return [sharing]
    ordered = sorted(sharing, key=lambda one: _range(one.tensor))
    groups = [[ordered[0]]]
    end = _range(ordered[0].tensor)[1]
    for one in ordered[1:]:
        first, last = _range(one.tensor)
        if first < end:
            groups[-1].append(one)
        else:
            groups.append([one])
        end = max(end, last)
    return groups


def _range(tensor: torch.Tensor) -> tuple[int, int]:
    """Addresses of a tensor's first byte and of the one after its last."""
    first = tensor.data_ptr()
    return first, first + _extent(tensor) * tensor.element_size()


def _view(tensor: torch.Tensor) -> tuple[object, ...]:
    return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()


def _extent(tensor: torch.Tensor) -> int:
    """Elements from a tensor's first to its last in memory."""
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    return 1 + sum((size - 1) * stride for size, stride in steps)


def describe(tensor: torch.Tensor) -> dict[str, Any]:
    """What a tree says of a tensor before its entry is known."""
    node: dict[str, Any] = {"dtype": dtype_name(tensor.dtype), "shape": list(tensor.shape)}
    if tensor.device.type != "cpu":
        node["device"] = str(tensor.device)
    if isinstance(tensor, torch.nn.Parameter):
        node["parameter"] = tensor.requires_grad
    elif tensor.requires_grad and tensor.is_leaf:
        node["requires_grad"] = True
    return node
