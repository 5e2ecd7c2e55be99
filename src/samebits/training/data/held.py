"""Generators that a dataset, a transform or a sampler carries along: found, set, put back.

Each worker has a copy of them, so that all workers draw the same numbers. Set anew for every
sample, they are as good as the global ones.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import random
import types
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from samebits.training.data.generators import seed_of, set_torch_generator
from samebits.training.data.keys import derived

_MOST_OBJECTS = 10_000
_MOST_ELEMENTS = 100  # of one container: what a program draws with does not stand further back
_DEEPEST = 12
_LEAVES = (
    type(None), bool, int, float, complex, str, bytes, bytearray, memoryview, type, range,
    types.ModuleType, types.BuiltinFunctionType, np.ndarray, np.generic, torch.Tensor,
    torch.dtype, torch.device,
)  # fmt: skip


@dataclass(frozen=True)
class Held:
    """One generator and the way to it.

    Attributes:
        path: Attributes and positions from the object that was searched, such as
            "transform.transforms[0].rng".
        generator: A NumPy `Generator` or `RandomState`, a `random.Random` or a `torch.Generator`.
    """

    path: str
    generator: Any

    @property
    def kind(self) -> str:
        """The name of its type, with the library's."""
        kind = type(self.generator)
        library = kind.__module__.partition(".")[0].lstrip("_")
        return f"{library}.{kind.__qualname__}"

    def seed(self, key: bytes) -> None:
        """Set it to the state that `key` stands for at its path."""
        own = derived(key, self.path)
        generator = self.generator
        if isinstance(generator, torch.Generator):
            set_torch_generator(generator, own)
        elif isinstance(generator, random.Random):
            generator.seed(int.from_bytes(own, "little"))
        elif isinstance(generator, np.random.RandomState):
            generator.seed(seed_of(own).generate_state(8).tolist())
        else:
            source: Any = generator.bit_generator
            source.state = type(source)(seed_of(own)).state

    def state(self) -> Any:
        """Where it stands now, for `put_back`."""
        generator = self.generator
        if isinstance(generator, (torch.Generator, np.random.RandomState)):
            return generator.get_state()
        if isinstance(generator, random.Random):
            return generator.getstate()
        return generator.bit_generator.state

    def put_back(self, state: Any) -> None:
        """Set it to where it stood."""
        generator = self.generator
        if isinstance(generator, (torch.Generator, np.random.RandomState)):
            generator.set_state(state)
        elif isinstance(generator, random.Random):
            generator.setstate(state)
        else:
            generator.bit_generator.state = state


def find(root: Any) -> tuple[Held, ...]:
    """The generators that can be reached from an object through attributes and containers.

    Nothing is called: attributes are read from instance dictionaries and slots. Global generators,
    `random.SystemRandom` and bit generators of unknown making are left out; of long containers the
    first elements are looked at.
    """
    # The global generators are seeded for every sample anyway, and in another way.
    seen = {id(getattr(random, "_inst", None)), id(torch.default_generator)}
    seen.add(id(getattr(np.random.seed, "__self__", None)))
    found: list[Held] = []
    waiting: list[tuple[str, Any, int]] = [("", root, 0)]
    while waiting and len(seen) < _MOST_OBJECTS:
        path, value, depth = waiting.pop()
        if isinstance(value, _LEAVES) or id(value) in seen:
            continue
        seen.add(id(value))
        if _can_be_set(value):
            found.append(Held(path.lstrip("."), value))
        elif depth < _DEEPEST:
            children = [(path + step, child, depth + 1) for step, child in _children(value)]
            waiting += reversed(children)
    return tuple(found)


@contextlib.contextmanager
def put_back(held: tuple[Held, ...]) -> Iterator[None]:
    """A scope after which each generator stands where it stood before."""
    states = [one.state() for one in held]
    try:
        yield
    finally:
        for one, state in zip(held, states, strict=True):
            one.put_back(state)


def _can_be_set(value: Any) -> bool:
    if isinstance(value, (torch.Generator, np.random.RandomState)):
        return True
    if isinstance(value, random.Random):
        return not isinstance(value, random.SystemRandom)
    if not isinstance(value, np.random.Generator):
        return False
    source: Any = value.bit_generator
    return type(source).__module__.startswith("numpy.")


def _children(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for _, (key, child) in zip(range(_MOST_ELEMENTS), list(value.items()), strict=False):
            yield f"[{key!r}]" if isinstance(key, (str, int)) else "[…]", child
        return
    if isinstance(value, (set, frozenset)):
        value = _in_order(value)
    if isinstance(value, (list, tuple)):
        for position, child in zip(range(_MOST_ELEMENTS), value, strict=False):
            yield f"[{position}]", child
    elif isinstance(value, functools.partial):
        yield ".func", value.func
        yield ".args", value.args
        yield ".keywords", value.keywords
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif isinstance(value, types.FunctionType):
        cells = zip(value.__code__.co_freevars, value.__closure__ or (), strict=False)
        for name, cell in cells:
            with contextlib.suppress(ValueError):  # a variable that has no value yet
                yield f".{name}", cell.cell_contents
        return
    yield from _attributes(value)


def _in_order(members: set[Any] | frozenset[Any]) -> list[Any]:
    """The members of a set that may hold generators, by what they are and where those stand.

    A set's own order is that of addresses, or of hashes that differ from process to process.
    Members with equal keys hold generators that cannot be told apart.
    """

    def key(member: Any) -> tuple[str, list[tuple[str, str]]]:
        kind = f"{type(member).__module__}.{type(member).__qualname__}"
        return kind, [(one.path, _digest(one.state())) for one in find(member)]

    return sorted((one for one in members if not isinstance(one, _LEAVES)), key=key)


def _digest(state: Any) -> str:
    whole = state.numpy().tobytes() if isinstance(state, torch.Tensor) else _written(state)
    return hashlib.sha256(whole).hexdigest()


def _written(state: Any) -> bytes:
    """A state of nested containers as bytes; long arrays as all of their numbers."""
    if isinstance(state, dict):
        return b"".join(_written(item) for pair in state.items() for item in pair)
    if isinstance(state, (list, tuple)):
        return b"".join(_written(item) for item in state)
    if isinstance(state, np.ndarray):
        return state.tobytes()
    return repr(state).encode() + b";"


def _attributes(value: Any) -> Iterator[tuple[str, Any]]:
    own: dict[str, Any] = {}
    with contextlib.suppress(Exception):  # whatever a class has made of its __dict__
        own = dict(object.__getattribute__(value, "__dict__"))
    for name, child in own.items():
        yield f".{name}", child
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            descriptor = kind.__dict__.get(name)
            if isinstance(descriptor, types.MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # a slot that is empty
                    yield f".{name}", descriptor.__get__(value)
