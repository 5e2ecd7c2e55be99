"""What a checkpoint would not hold: live generators and trainers of state that nobody gave it."""

from __future__ import annotations

import gc
import random
import sys
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import torch

from samebits.control.generator_objects import generator_kind
from samebits.control.rng_sources import registered_generators
from samebits.control.streams import live_streams

_KINDS = {
    "python": "random.Random",
    "numpy": "numpy.random.Generator",
    "numpy-legacy": "numpy.random.RandomState",
    "numpy-bits": "numpy.random bit generator",
    "torch": "torch.Generator",
}
# Modules whose generators decide no results: names of temporary files, back-off times.
_IGNORED_OWNERS = ("tempfile", "random", "numpy.", "torch.", "samebits.", "sympy.")


def find_missing(given: Iterable[Any]) -> list[str]:
    """Sentences that name what is alive and would not be in a checkpoint.

    Generators (Python's, NumPy's, torch's) other than the global ones, and optimizers, schedulers,
    scalers and loaders of torch, are looked for among all objects of the process; this takes a
    moment.

    Args:
        given: The objects that the checkpoint holds.
    """
    given = list(given)
    known = {id(obj) for obj in given} | set(_known_generators())
    inside = _within_loaders(given)
    told = []
    for obj in _live_objects():
        if id(obj) in known or id(obj) in inside:
            continue
        kind = generator_kind(obj)
        if kind is None and isinstance(obj, random.Random):
            continue  # SystemRandom: it has no state
        what = _KINDS[kind] if kind is not None else f"{type(obj).__name__}"
        owner = _owner(obj)
        if owner is not None and owner.startswith(_IGNORED_OWNERS):
            continue
        if kind == "numpy-bits" and owner is None:
            continue  # belongs to a Generator, which is named itself
        where = "" if owner is None else f" at {owner}"
        advice = (
            "give it by a name, or take it from samebits' streams"
            if kind is not None
            else "give it by a name"
        )
        told.append(f"{what}{where} is not in the checkpoint: {advice}")
    return sorted(set(told))


def _known_generators() -> Iterator[int]:
    """The global generators, the registered ones and those of living streams."""
    yield id(getattr(random, "_inst", None))
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        legacy = numpy.mtrand._rand
        yield id(legacy)
        yield id(legacy._bit_generator)
    yield id(torch.default_generator)
    if torch.cuda.is_initialized():  # type: ignore[no-untyped-call]
        yield from map(id, torch.cuda.default_generators)
    generators = list(registered_generators().values())
    for streams in live_streams().values():
        generators += streams._made().values()
    for generator in generators:
        yield id(generator)
        yield id(getattr(generator, "bit_generator", None))


def _within_loaders(given: Iterable[Any]) -> set[int]:
    """Generators inside loaders that were given: their place is the loader's to keep."""
    found: set[int] = set()
    for obj in given:
        if isinstance(obj, torch.utils.data.DataLoader):
            todo, seen = [obj], {id(obj)}
            while todo and len(seen) < 100_000:
                for part in gc.get_referents(todo.pop()):
                    if id(part) in seen or isinstance(part, _NO_HOLDERS):
                        continue
                    seen.add(id(part))
                    todo.append(part)
            found |= seen
    return found


_FUNCTIONS = (FunctionType, BuiltinFunctionType)
_NO_HOLDERS = (type, str, int, float, torch.Tensor, ModuleType, *_FUNCTIONS)


def _live_objects() -> Iterator[Any]:
    """All generators and trainers of state that the collector knows, or that those hold."""
    seen: set[int] = set()
    roots = gc.get_objects()
    frame: Any
    for frame in sys._current_frames().values():
        while frame is not None:
            roots.append(frame.f_locals)
            frame = frame.f_back
    skip = id(roots)
    for root in roots:
        if id(root) == skip or type(root) in _DULL:
            continue
        for obj in (root, *gc.get_referents(root)):
            kind = type(obj)
            if kind in _DULL or id(obj) in seen:
                continue
            # isinstance may run a class's own code; the type alone decides here.
            if _is_interesting(kind):
                seen.add(id(obj))
                yield obj


_DULL = frozenset({type(None), str, bytes, int, float, bool, type, type(len), type(gc)})
_judged: dict[type, bool] = {}


def _is_interesting(kind: type) -> bool:
    """Whether objects of a type are generators, or trainers of state."""
    if kind not in _judged:
        _judged[kind] = not _bases().isdisjoint(kind.__mro__)
    return _judged[kind]


def _bases() -> frozenset[type]:
    bases: set[type] = {
        random.Random,
        torch.Generator,
        torch.optim.Optimizer,
        torch.optim.lr_scheduler.LRScheduler,
        torch.amp.GradScaler,
        torch.utils.data.DataLoader,
    }
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        bases |= {numpy.Generator, numpy.RandomState, numpy.BitGenerator}
    return frozenset(bases)


def _owner(obj: Any) -> str | None:
    """Where an object is held: "train.augment", "train.Noise.rng"; None where that is not plain."""
    for holder in gc.get_referrers(obj):
        if isinstance(holder, dict):
            name = next((key for key, value in holder.items() if value is obj), None)
            if not isinstance(name, str):
                continue
            module = holder.get("__name__")
            if isinstance(module, str) and "__builtins__" in holder:
                return f"{module}.{name}"
            if isinstance(holder.get("__module__"), str):  # the attributes of a class
                return f"{holder['__module__']}.{name}"
            for instance in gc.get_referrers(holder):
                if getattr(instance, "__dict__", None) is holder:
                    kind = type(instance)
                    return f"{kind.__module__}.{kind.__qualname__}.{name}"
        elif hasattr(type(holder), "__module__") and not isinstance(holder, (list, tuple, type)):
            # Objects whose attributes lie in no dict of their own (Python 3.11 on).
            for name, value in getattr(holder, "__dict__", {}).items():
                if value is obj:
                    return f"{type(holder).__module__}.{type(holder).__qualname__}.{name}"
    return None
