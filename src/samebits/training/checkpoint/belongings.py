"""What the program's own code holds: its variables and what hangs on them, each with its place.

The search goes forward from the variables of modules and functions that lie in no library, through
containers, attributes, closures and the defaults of arguments. Nothing of the program is called.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import sys
import sysconfig
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType, FunctionType, GeneratorType, MemberDescriptorType, MethodType
from typing import Any

from torch import nn

_MOST_OBJECTS = 50_000
_MOST_ELEMENTS = 1_000  # of one container
_CONTAINERS = (dict, list, tuple, set, frozenset, deque)


@dataclass(frozen=True)
class Belonging:
    """An object and where the program holds it.

    Attributes:
        object: The object.
        path: Attributes and positions from a variable on: "ema.shadow".
        scope: The module or the function whose variable it is.
        local: Whether that is a function's.
    """

    object: Any
    path: str
    scope: str
    local: bool

    @property
    def where(self) -> str:
        """For a sentence, with a blank before: " (ema.shadow in main)", " at train.ema.shadow"."""
        return f" ({self.path} in {self.scope})" if self.local else f" at {self.scope}.{self.path}"

    def part(self, obj: Any, step: str) -> Belonging:
        """What it holds."""
        return Belonging(obj, self.path + step, self.scope, self.local)


def belongings(closed: Callable[[Any], bool]) -> Iterator[Belonging]:
    """Every object that the program's own code holds, each once, the nearest first.

    Args:
        closed: Whether to leave an object's parts out: something else answers for them.
    """
    seen: set[int] = set()
    waiting = deque(_variables())
    while waiting and len(seen) < _MOST_OBJECTS:
        one = waiting.popleft()
        if id(one.object) in seen or type(one.object) in (str, int, float, bool, bytes, type(None)):
            continue
        seen.add(id(one.object))
        yield one
        if not closed(one.object):
            waiting += _parts(one)


def frames() -> Iterator[FrameType]:
    """What every thread is in the middle of."""
    for innermost in sys._current_frames().values():
        frame: FrameType | None = innermost
        while frame is not None:
            yield frame
            frame = frame.f_back


def is_own_class(kind: type) -> bool:
    """Whether a class is the program's and no library's."""
    return _is_own_module(getattr(kind, "__module__", None))


@functools.cache
def is_own_file(file: str) -> bool:
    """Whether code of a file is the program's and no library's."""
    if file.startswith("<frozen"):
        return False
    path = Path(file).absolute()
    if not {"site-packages", "dist-packages"}.isdisjoint(path.parts):
        return False
    return not any(path.is_relative_to(one) for one in _libraries())


@functools.cache
def _libraries() -> tuple[Path, ...]:
    own = Path(__file__).absolute().parents[2]
    paths = sysconfig.get_paths()
    return own, Path(paths["stdlib"]), Path(paths["platstdlib"])


def _is_own_module(name: Any) -> bool:
    if name == "__main__":
        return True
    file = getattr(sys.modules.get(name), "__file__", None) if isinstance(name, str) else None
    return isinstance(file, str) and is_own_file(file)


def _variables() -> Iterator[Belonging]:
    for name, module in list(sys.modules.items()):
        if _is_own_module(name):
            for variable, value in list(vars(module).items()):
                if not variable.startswith("__"):
                    yield Belonging(value, variable, name, False)
    for frame in frames():
        if frame.f_locals is not frame.f_globals and is_own_file(frame.f_code.co_filename):
            for variable, value in list(frame.f_locals.items()):
                yield Belonging(value, variable, frame.f_code.co_name, True)


def _parts(one: Belonging) -> Iterator[Belonging]:
    value = one.object
    if isinstance(value, dict):
        for key, part in list(value.items())[:_MOST_ELEMENTS]:
            yield one.part(part, f"[{key!r}]" if isinstance(key, (str, int)) else "[…]")
    elif isinstance(value, _CONTAINERS):
        for number, part in zip(range(_MOST_ELEMENTS), value, strict=False):
            yield one.part(part, f"[{number}]")
    elif isinstance(value, functools.partial):
        for part in (value.func, *value.args, *value.keywords.values()):
            yield one.part(part, "(…)")
    elif isinstance(value, MethodType):
        yield one.part(value.__self__, ".__self__")
        yield one.part(value.__func__, ".__func__")
    elif isinstance(value, FunctionType):
        if is_own_file(value.__code__.co_filename):
            yield from _held_by_function(one, value)
    elif isinstance(value, GeneratorType):
        if value.gi_frame is not None and is_own_file(value.gi_code.co_filename):
            for name, part in list(value.gi_frame.f_locals.items()):
                yield one.part(part, f".{name}")
    elif isinstance(value, type):
        if is_own_class(value):
            for name, part in list(vars(value).items()):
                held = getattr(part, "__func__", part)  # of a static method or a class method
                yield one.part(held, f".{name}")
    elif is_own_class(type(value)) or isinstance(value, nn.Module):
        yield from _held_by_object(one)


def _held_by_function(one: Belonging, function: FunctionType) -> Iterator[Belonging]:
    for part in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        yield one.part(part, "(…)")
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    for name, cell in cells:
        for part in gc.get_referents(cell):  # none while the variable has no value yet
            yield one.part(part, f".{name}")


def _held_by_object(one: Belonging) -> Iterator[Belonging]:
    try:
        own = object.__getattribute__(one.object, "__dict__")
    except AttributeError:
        own = {}
    torchs = isinstance(one.object, nn.Module)
    for name, part in list(own.items()):
        if torchs and name == "_modules":
            for child, module in list(part.items()):
                yield one.part(module, f".{child}")
        elif not torchs or name not in ("_parameters", "_buffers"):
            yield one.part(part, f".{name}")
    for kind in type(one.object).__mro__:
        slots = vars(kind).get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            descriptor = vars(kind).get(name)
            if isinstance(descriptor, MemberDescriptorType):
                with contextlib.suppress(AttributeError):  # a slot that is empty
                    yield one.part(descriptor.__get__(one.object), f".{name}")
