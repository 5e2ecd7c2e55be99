"""Where two checkpoints differ: entry by entry, tensors with their distance."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from samebits.core.names import printable
from samebits.errors import CheckpointError
from samebits.training.checkpoint.contents import load_tensors
from samebits.training.checkpoint.decoding import Decoder
from samebits.training.checkpoint.manifest import MANIFEST_FILE, TENSORS_FILE, CheckpointManifest
from samebits.training.checkpoint.tensor_file import StoredTensor

_NOT_COMPARED = ("entry", "number")
Distance = Callable[[torch.Tensor, torch.Tensor], "tuple[float | None, int | None]"]


@dataclass(frozen=True, kw_only=True)
class EntryDifference:
    """One entry that differs.

    Attributes:
        key: Where: "model.state_dict.fc1.weight".
        what: A sentence.
        max_abs: Largest absolute difference, for tensors of numbers.
        max_ulp: Largest distance in units in the last place, for tensors of floating point.
    """

    key: str
    what: str
    max_abs: float | None = None
    max_ulp: int | None = None


def differences(a: Path, b: Path, distance: Distance) -> list[EntryDifference]:
    """All entries in which two checkpoints differ, in the order of the first.

    When and by which versions they were saved does not count.

    Args:
        a: A checkpoint's own folder.
        b: Another one's.
        distance: Largest absolute difference and ULP distance of two tensors of one dtype and
            shape, None where that means nothing.

    Raises:
        CheckpointError: One of them cannot be read, or is damaged.
    """
    sides = _Side(a), _Side(b)
    trees = [
        {
            "step": side.manifest.step,
            "epoch": side.manifest.epoch,
            **{
                name: {"type": part["type"], **_as_dict(part["state"])}
                for name, part in side.manifest.components.items()
            },
            "generators": side.manifest.generators,
            "surroundings": side.manifest.surroundings,
        }
        for side in sides
    ]
    return list(_compare(trees[0], trees[1], "", sides, distance))


class _Side:
    """One checkpoint, its tensors checked."""

    def __init__(self, path: Path) -> None:
        self.manifest = CheckpointManifest.read(path / MANIFEST_FILE)
        if self.manifest.world_size != 1:
            raise CheckpointError(
                f"{printable(str(path))} was written by {self.manifest.world_size} processes",
                hint="Shards are compared by `samebits checkpoint verify`, not by diff.",
            )
        loaded = load_tensors(path / TENSORS_FILE, self.manifest.tensors)
        self.decoder = Decoder(loaded.__getitem__)
        self._stored = self.manifest.tensors.tensors

    def digest(self, node: dict[str, Any]) -> str:
        """The digest of a node's bytes as stored; "" where it has none."""
        stored: StoredTensor | None = self._stored.get(node.get("entry", ""))
        return "" if stored is None else stored.digest


def _as_dict(state: Any) -> dict[str, Any]:
    return state if isinstance(state, dict) and "$" not in state else {"state": state}


def _compare(
    a: Any, b: Any, key: str, sides: tuple[_Side, _Side], distance: Distance
) -> Iterator[EntryDifference]:
    if isinstance(a, dict) and isinstance(b, dict):
        kinds = a.get("$"), b.get("$")
        if kinds[0] != kinds[1]:
            yield EntryDifference(key=key, what=f"{_kind(a)} in A, {_kind(b)} in B")
        elif kinds[0] == "tensor":
            yield from _compare_tensors(a, b, key, sides, distance)
        elif "entry" in a and "entry" in b:
            if sides[0].digest(a) != sides[1].digest(b) or _facts(a) != _facts(b):
                yield EntryDifference(key=key, what="other values")
        elif "items" in a and "items" in b:
            yield from _compare_items(a, b, key, sides, distance)
        else:
            yield from _compare_keys(a, b, key, sides, distance)
    elif isinstance(a, list) and isinstance(b, list):
        if len(a) != len(b):
            yield EntryDifference(key=key, what=f"{len(a)} items in A, {len(b)} in B")
        elif a != b and all(isinstance(x, (int, float)) for x in (*a, *b)) and len(a) > 8:
            yield EntryDifference(key=key, what="other numbers")  # a generator's state, say
        else:
            for number, (x, y) in enumerate(zip(a, b, strict=True)):
                yield from _compare(x, y, _join(key, number), sides, distance)
    elif type(a) is not type(b) or a != b or repr(a) != repr(b):
        yield EntryDifference(key=key, what=f"{_shown(a)} in A, {_shown(b)} in B")


def _compare_keys(
    a: dict[str, Any], b: dict[str, Any], key: str, sides: tuple[_Side, _Side], distance: Distance
) -> Iterator[EntryDifference]:
    for name in a:
        if name not in b:
            yield EntryDifference(key=_join(key, name), what="only in A")
        else:
            yield from _compare(a[name], b[name], _join(key, name), sides, distance)
    for name in b:
        if name not in a:
            yield EntryDifference(key=_join(key, name), what="only in B")


def _compare_items(
    a: dict[str, Any], b: dict[str, Any], key: str, sides: tuple[_Side, _Side], distance: Distance
) -> Iterator[EntryDifference]:
    if a["$"] in ("dict", "ordered", "defaultdict", "counter"):
        named = [{_shown(k): v for k, v in side["items"]} for side in (a, b)]
        yield from _compare_keys(named[0], named[1], key, sides, distance)
    else:
        yield from _compare(a["items"], b["items"], key, sides, distance)


def _compare_tensors(
    a: dict[str, Any],
    b: dict[str, Any],
    key: str,
    sides: tuple[_Side, _Side],
    distance: Distance,
) -> Iterator[EntryDifference]:
    facts = [_facts(node) for node in (a, b)]
    if facts[0] == facts[1] and sides[0].digest(a) == sides[1].digest(b):
        return
    shapes = [f"{node['dtype']}{node['shape']}" for node in (a, b)]
    if shapes[0] != shapes[1]:
        yield EntryDifference(key=key, what=f"{shapes[0]} in A, {shapes[1]} in B")
        return
    tensors = [side.decoder.decode(n, key) for side, n in zip(sides, (a, b), strict=True)]
    if sides[0].digest(a) == sides[1].digest(b):
        yield EntryDifference(
            key=key, what="the same values, on another device or in other strides"
        )
        return
    max_abs, max_ulp = distance(*(tensor.detach() for tensor in tensors))
    yield EntryDifference(
        key=key, what=f"other values, {shapes[0]}", max_abs=max_abs, max_ulp=max_ulp
    )


def _facts(node: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name not in _NOT_COMPARED}


def _kind(node: dict[str, Any]) -> str:
    return f"a {node['$']}" if "$" in node else "a dict"


def _join(key: str, name: object) -> str:
    return f"{key}.{name}" if key else str(name)


def _shown(value: Any) -> str:
    if isinstance(value, str):
        return value if len(value) <= 60 else value[:59] + "…"
    text = repr(value)
    return text if len(text) <= 60 else text[:59] + "…"
