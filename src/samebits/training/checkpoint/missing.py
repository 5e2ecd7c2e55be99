"""What a checkpoint would not hold: live generators and keepers of state that nobody gave it."""

from __future__ import annotations

import gc
import random
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FrameType, FunctionType, ModuleType
from typing import Any

import torch
from torch.utils.data import DataLoader

from samebits.training.checkpoint.belongings import frames, is_own_class
from samebits.training.checkpoint.forgotten import forgotten, places
from samebits.training.control.generator_objects import generator_kind
from samebits.training.control.rng_sources import registered_generators
from samebits.training.control.streams import live_streams

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
    scalers, loaders and modules with parameters or running statistics of torch, are looked for
    among all objects of the process; iterators, averages of weights in containers, deques and
    objects with a `state_dict()` among those that the program's own code holds. This takes a
    moment; garbage is collected first.

    Args:
        given: The objects that the checkpoint holds.
    """
    given = list(given)
    known = {id(obj) for obj in given} | set(_known_generators())
    # What is inside a loader, the loader keeps; and it sets the generators in there.
    for obj in given:
        if isinstance(obj, DataLoader):
            known |= _inside(obj)
    told, modules = [], []
    unplaced: list[tuple[str, Any, str]] = []
    for obj in _live_objects():
        if id(obj) in known or type(obj).__module__ == "samebits.training.data.iteration":
            continue
        if isinstance(obj, torch.nn.Module):
            if "_parameters" in vars(obj):  # its making is over
                modules.append(obj)
            continue
        kind = generator_kind(obj)
        if kind is None and isinstance(obj, random.Random):
            continue  # SystemRandom: it has no state
        if kind is None:
            told.append(_keeper(obj))
            continue
        owner = next(_owners(obj), None)
        if owner is not None and owner.startswith(_IGNORED_OWNERS):
            continue
        advice = "give it by a name, or take it from samebits' streams"
        if owner is None and _variable(obj) is None:
            unplaced.append((_KINDS[kind], obj, advice))
        else:
            told.append(_sentence(_KINDS[kind], obj, owner, advice))
    told += map(_keeper, _not_covered(modules, given))
    inside = _inside_given(given)
    held = places(lambda obj: id(obj) in inside, {id(obj) for _, obj, _ in unplaced})
    told += [
        f"{what}{held.get(id(obj), '')} is not in the checkpoint: {advice}"
        for what, obj, advice in unplaced
        # One that no variable holds belongs to a Generator, which is named itself.
        if what != _KINDS["numpy-bits"] or id(obj) in held
    ]
    modules += [obj for obj in given if isinstance(obj, torch.nn.Module)]
    told += forgotten(lambda obj: id(obj) in inside, modules)
    return sorted(set(told))


def _inside_given(given: list[Any]) -> set[int]:
    """The identities of what is given and of what that answers for itself."""
    known = {id(obj) for obj in given}
    for obj in given:
        if isinstance(obj, torch.nn.Module):
            known.update(id(part) for part in obj.modules())
        elif not isinstance(obj, torch.optim.Optimizer):
            known |= _inside(obj)
    return known


def _keeper(obj: Any) -> str:
    """The sentence for an object that keeps state and is no generator."""
    # torch's and samebits' own objects refer to each other: that tells a reader nothing.
    owner = next((one for one in _owners(obj) if not one.startswith(_IGNORED_OWNERS)), None)
    advice = "give it by a name"
    if isinstance(obj, DataLoader) and not hasattr(obj, "load_state_dict"):
        advice = "use samebits.DataLoader in its place, and give that by a name"
    return _sentence(type(obj).__name__, obj, owner, advice)


def _sentence(what: str, obj: Any, owner: str | None, advice: str) -> str:
    local = None if owner is not None else _variable(obj)
    where = f" at {owner}" if owner is not None else f" ({local})" if local is not None else ""
    return f"{what}{where} is not in the checkpoint: {advice}"


def _not_covered(modules: list[torch.nn.Module], given: list[Any]) -> list[torch.nn.Module]:
    """Modules with parameters that no given object holds, each without the modules it is part of.

    An average of the weights is such a module, and so is a loss that learns.
    """
    held: set[int] = set()
    within: set[int] = set()
    for obj in given:
        if isinstance(obj, torch.nn.Module):
            held.update(map(id, obj.parameters()))
        elif not isinstance(obj, torch.optim.Optimizer):
            within |= _inside(obj)
    parts_of_given = {
        id(part) for obj in given if isinstance(obj, torch.nn.Module) for part in obj.modules()
    }
    own = [
        module
        for module in modules
        if id(module) not in within
        and id(module) not in parts_of_given
        and (
            any(id(one) not in held for one in module.parameters())
            or any(map(_changes_buffers, _parts_beside(module, parts_of_given)))
        )
    ]
    parts = {id(part) for module in own for part in module.modules() if part is not module}
    return [module for module in own if id(module) not in parts]


def _parts_beside(module: torch.nn.Module, given: set[int]) -> Iterator[torch.nn.Module]:
    """A module and its parts, without those that are given."""
    return (part for part in module.modules() if id(part) not in given)


def _changes_buffers(module: torch.nn.Module) -> bool:
    """Whether a module has buffers that its forward may change, and no constants.

    Those of torch that do are its norms with running statistics. What the program's own modules
    do with a buffer, cannot be told; but a buffer that a class of torch's has made is a constant.
    """
    if isinstance(module, torch.nn.modules.batchnorm._NormBase):
        return module.running_mean is not None
    bases = [kind for kind in type(module).__mro__ if kind.__module__.startswith("torch.")]
    own = is_own_class(type(module)) and bases[0] is torch.nn.Module
    return own and any(buffer is not None for buffer in module._buffers.values())


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


def _inside(obj: Any) -> set[int]:
    """The identities of what can be reached from an object, the nearest first, and its own."""
    seen, waiting = {id(obj)}, deque([obj])
    if isinstance(obj, DataLoader):
        # Before its workers, from which most of the process can be reached.
        waiting.extendleft((obj.collate_fn, obj.batch_sampler, obj.sampler, obj.dataset))
    while waiting and len(seen) < _MOST_OBJECTS:
        for part in gc.get_referents(waiting.popleft()):
            if id(part) not in seen and not isinstance(part, _NO_HOLDERS):
                seen.add(id(part))
                waiting.append(part)
    return seen


_MOST_OBJECTS = 100_000
_FUNCTIONS = (FunctionType, BuiltinFunctionType)
_NO_HOLDERS = (type, str, int, float, torch.Tensor, ModuleType, *_FUNCTIONS)


def _live_objects() -> Iterator[Any]:
    """All generators and keepers of state that the collector knows, or that those hold.

    Millions of objects are asked: thousands at a time, and one by one only where there is one of
    an interesting type among them.
    """
    gc.collect()  # what nothing refers to any more, but for itself, is not alive
    seen: set[int] = set()
    roots = [*gc.get_objects(), *(frame.f_locals for frame in _frames())]
    skip = id(roots)
    for begin in range(0, len(roots), _AT_ONCE):
        some = roots[begin : begin + _AT_ONCE]
        some = [root for root in some if type(root) not in _DULL and id(root) != skip]
        for objects in (some, *_held_by(some)):
            if not any(map(_is_interesting, set(map(type, objects)))):
                continue
            for obj in objects:
                # isinstance may run a class's own code; the type alone decides here.
                if _is_interesting(type(obj)) and id(obj) not in seen:
                    seen.add(id(obj))
                    yield obj


def _held_by(roots: list[Any]) -> tuple[list[Any], list[Any]]:
    """What objects refer to, and what containers hold that the collector does not list.

    It leaves out those whose elements refer to nothing: the defaults of a function's arguments,
    where one of them is a torch.Generator.
    """
    held = gc.get_referents(*roots)
    unlisted = [obj for obj in held if type(obj) in (tuple, dict) and not gc.is_tracked(obj)]
    return held, gc.get_referents(*unlisted)


def _frames() -> Iterator[FrameType]:
    """What every thread is in the middle of, without the functions of this module."""
    return (frame for frame in frames() if frame.f_globals is not globals())


_AT_ONCE = 4096
_DULL = frozenset({type(None), str, bytes, int, float, bool, type, type(len), type(gc)})
_judged: dict[type, bool] = {}


def _is_interesting(kind: type) -> bool:
    """Whether objects of a type are generators, or keepers of state."""
    if kind not in _judged:
        _judged[kind] = not _bases().isdisjoint(kind.__mro__)
    return _judged[kind]


def _bases() -> frozenset[type]:
    bases: set[type] = {
        random.Random,
        torch.Generator,
        torch.nn.Module,
        torch.optim.Optimizer,
        torch.optim.lr_scheduler.LRScheduler,
        torch.amp.GradScaler,
        DataLoader,
    }
    numpy: Any = sys.modules.get("numpy.random")
    if numpy is not None:
        bases |= {numpy.Generator, numpy.RandomState, numpy.BitGenerator}
    return frozenset(bases)


def _owners(obj: Any) -> Iterator[str]:
    """Where an object is held, as far as that is plain: "train.augment", "train.Noise.rng"."""
    for holder in gc.get_referrers(obj):
        if isinstance(holder, dict):
            name = next((key for key, value in holder.items() if value is obj), None)
            if not isinstance(name, str):
                continue
            module = holder.get("__name__")
            if isinstance(module, str) and "__builtins__" in holder:
                yield f"{module}.{name}"
            elif isinstance(holder.get("__module__"), str):  # the attributes of a class
                yield f"{holder['__module__']}.{name}"
            else:
                for instance in gc.get_referrers(holder):
                    if getattr(instance, "__dict__", None) is holder:
                        kind = type(instance)
                        yield f"{kind.__module__}.{kind.__qualname__}.{name}"
        elif hasattr(type(holder), "__module__") and not isinstance(holder, (list, tuple, type)):
            # Objects whose attributes lie in no dict of their own (Python 3.11 on).
            for name, value in getattr(holder, "__dict__", {}).items():
                if value is obj:
                    yield f"{type(holder).__module__}.{type(holder).__qualname__}.{name}"


def _variable(obj: Any) -> str | None:
    """The function whose variable an object is: "val in main"; None where it is nobody's."""
    for frame in _frames():
        for name, value in frame.f_locals.items():
            if value is obj:
                return f"{name} in {frame.f_code.co_name}"
    return None
