"""Parting what is saved into the tensors in it and everything else."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Mapping
from typing import Any

_MAX_DEPTH = 200


def tensors_in(obj: Any) -> dict[str, list[Any]]:
    """The tensors and arrays of numbers in a tree of containers, by where they lie.

    Modules, optimizers and whatever else has a `state_dict()` count as that dict. What is neither
    a container nor a tensor is passed over, as is what contains itself.

    Args:
        obj: What is saved: a tensor, a state dict, a checkpoint with both and a date beside them.

    Returns:
        Places, such as "['model']['fc.weight']", with the tensors and arrays there: one each, but
        for keys of a dict that have no name.
    """
    found: dict[str, list[Any]] = {}
    for place, tensor in _walk(obj, "", ()):
        found.setdefault(place, []).append(tensor)
    return found


def _walk(obj: Any, place: str, above: tuple[int, ...]) -> Iterator[tuple[str, Any]]:
    if is_tensor(obj):
        yield place, obj
    elif id(obj) not in above and len(above) < _MAX_DEPTH:
        for name, part in _parts(obj):
            yield from _walk(part, place + name, (*above, id(obj)))


def _parts(obj: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(obj, Mapping):
        for key, value in obj.items():
            named = isinstance(key, str | int | float | bytes)
            yield f"[{key!r}]" if named else f"[{type(key).__qualname__}]", value
    elif isinstance(obj, list | tuple):
        for number, item in enumerate(obj):
            yield f"[{number}]", item
    elif isinstance(obj, type):
        return
    elif dataclasses.is_dataclass(obj):
        for field in dataclasses.fields(obj):
            yield f".{field.name}", getattr(obj, field.name)
    elif callable(state_dict := getattr(obj, "state_dict", None)):
        yield "", state_dict()


def is_tensor(obj: Any) -> bool:
    """Whether something is a tensor, a generator of torch or an array of numbers."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(obj, torch.Tensor | torch.Generator):
        return True
    # Dates and texts are no numbers, also where they fill an array.
    return numpy is not None and isinstance(obj, numpy.ndarray) and obj.dtype.kind in "biufcV"
