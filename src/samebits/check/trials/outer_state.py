"""What a function reaches from outside: so that a call that changes it is not mistaken for chance.

A function that trains a model of its caller's starts its second call from other weights. Nothing
drew at random there, and no seed would help.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import random
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from samebits.core.fingerprint.tree import fingerprint
from samebits.errors import SamebitsError

_MAX_OBJECTS = 10_000
_MAX_DEPTH = 6
_MAX_PARTS = 1_000
_KINDS = (
    ("torch", "Tensor"),
    ("torch", "Generator"),
    ("torch.nn", "Module"),
    ("torch.optim", "Optimizer"),
    ("torch.optim.lr_scheduler", "LRScheduler"),
    ("numpy", "ndarray"),
    ("numpy.random", "Generator"),
    ("numpy.random", "RandomState"),
)
_LEAVES = (str, bytes, int, float, complex, bool, type(None), type, ModuleType)


class OuterState:
    """The tensors, modules, optimizers and generators that a function reaches by its own names.

    Its closure, its globals, the arguments bound to it, and the same of the functions of its own
    module that it calls. An object that is only reached otherwise (through a library, say) is not
    seen: what is reported as changed did change, and what is not may have.

    Args:
        function: What will be called.
    """

    def __init__(self, function: Callable[..., object]) -> None:
        self._objects = dict(_reached(function))
        self._before = self._digests()

    def changed(self) -> list[str]:
        """Names of the objects that are not as they were found, the outermost ones alone."""
        now = self._digests()
        names = [name for name, digest in self._before.items() if now.get(name) != digest]
        return [name for name in names if not any(_within(name, other) for other in names)]

    def _digests(self) -> dict[str, str]:
        return {name: _digest(obj) for name, obj in self._objects.items()}


def _within(name: str, other: str) -> bool:
    return name != other and name.startswith((f"{other}.", f"{other}["))


def _digest(obj: Any) -> str:
    """A fingerprint, or "" for what has none: such an object is never said to have changed."""
    try:
        if isinstance(obj, random.Random):
            return fingerprint(obj.getstate())
        if _is(obj, "numpy.random", "Generator"):
            return fingerprint(obj.bit_generator.state)
        if _is(obj, "numpy.random", "RandomState"):
            return fingerprint(obj.get_state())
        return fingerprint(obj)
    except (SamebitsError, RuntimeError, TypeError, ValueError, AttributeError):
        return ""


def _has_state(obj: Any) -> bool:
    """Whether an object is one of those whose change decides what a call computes.

    Not all that has a `state_dict()`: a loader's may start its workers.
    """
    return isinstance(obj, random.Random) or any(_is(obj, *kind) for kind in _KINDS)


def _is(obj: Any, module: str, name: str) -> bool:
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None)
    return isinstance(kind, type) and isinstance(obj, kind)


def _reached(function: Callable[..., object]) -> Iterator[tuple[str, Any]]:
    """Each object with state, by the name under which the function knows it."""
    waiting: deque[tuple[str, Any, int]] = deque([("", function, 0)])
    seen: set[int] = set()
    while waiting and len(seen) < _MAX_OBJECTS:
        name, obj, depth = waiting.popleft()
        if id(obj) in seen or isinstance(obj, _LEAVES):
            continue
        seen.add(id(obj))
        if name and _has_state(obj):
            yield name, obj
        elif depth < _MAX_DEPTH:
            parts = itertools.islice(_parts(name, obj, function), _MAX_PARTS)
            waiting.extend((found, part, depth + 1) for found, part in parts)


def _parts(name: str, obj: Any, start: Callable[..., object]) -> Iterator[tuple[str, Any]]:
    prefix = f"{name}." if name else ""
    if isinstance(obj, MethodType):
        yield name or "self", obj.__self__
        yield name, obj.__func__
    elif isinstance(obj, FunctionType):
        if obj is start or obj.__module__ == getattr(start, "__module__", None):
            yield from _names_of(obj)
    elif isinstance(obj, functools.partial):
        yield name, obj.func
        yield from ((f"argument {i}", part) for i, part in enumerate(obj.args, start=1))
        yield from obj.keywords.items()
    elif isinstance(obj, Mapping):
        yield from ((f"{name}[{key!r:.40}]", part) for key, part in obj.items())
    elif isinstance(obj, (list, tuple, set, frozenset)):
        yield from ((f"{name}[{i}]", part) for i, part in enumerate(obj))
    elif dataclasses.is_dataclass(obj) or _is_of_users(obj, start):
        yield from ((f"{prefix}{key}", part) for key, part in vars(obj).items())


def _is_of_users(obj: Any, start: Callable[..., object]) -> bool:
    """An instance of a class beside the function: others' insides are their own business."""
    module = getattr(type(obj), "__module__", None)
    return module == getattr(start, "__module__", None) and hasattr(obj, "__dict__")


def _names_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    closure = function.__closure__ or ()
    for variable, cell in zip(function.__code__.co_freevars, closure, strict=True):
        try:
            yield variable, cell.cell_contents
        except ValueError:  # not bound yet
            continue
    for variable in _global_names(function.__code__):
        if variable in function.__globals__:
            yield variable, function.__globals__[variable]
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    yield from zip(parameters[len(parameters) - len(defaults) :], defaults, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def _global_names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):  # a function or comprehension inside
            yield from _global_names(constant)
