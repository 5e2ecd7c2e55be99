"""Putting a tap where a function is looked up, in the way that its interpreter allows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from samebits import _native

After = Callable[[tuple[Any, ...], dict[str, Any], Any], None]


def tap_function(
    native: _native.Recorder, owner: Any, name: str, kind: int, after: After | None = None
) -> Callable[[], None]:
    """Tap a function of a module, a method of a class, or a callable that an object holds.

    Args:
        native: The recorder that is told.
        owner: Where the function is looked up.
        name: What it is called there.
        kind: A kind of tap, as in native/python/tap.hpp.
        after: For taps that tell Python: called with (args, kwargs, result) of each call.

    Returns:
        What takes the tap out again, unless somebody has put another thing in its place since.
    """
    original = owner.__dict__[name]
    if native.tap_inside(kind, original, after):
        return lambda: native.untap_inside(original)
    tap = native.tap(kind, original, after)
    # A pickle names a function by the module that defines it, and must find the same object there.
    home = sys.modules.get(getattr(original, "__module__", None) or "")
    places = [owner]
    if isinstance(owner, ModuleType) and home is not None and vars(home).get(name) is original:
        places.append(home)
    for place in places:
        setattr(place, name, tap)

    def undo() -> None:
        for place in places:
            if vars(place).get(name) is tap:
                setattr(place, name, original)

    return undo


def tap_inherited(
    native: _native.Recorder, owner: type, name: str, kind: int
) -> Callable[[], None]:
    """Tap a method that a class has from a base that is written in C and cannot be changed.

    Args:
        native: The recorder that is told.
        owner: The class; nothing is done where it defines the method itself.
        name: What the method is called.
        kind: A kind of tap, as in native/python/tap.hpp.

    Returns:
        What takes the tap out again, unless somebody has put another thing in its place since.
    """
    if name in vars(owner):
        return lambda: None
    tap = native.tap(kind, getattr(owner, name), None)
    setattr(owner, name, tap)

    def undo() -> None:
        if vars(owner).get(name) is tap:
            delattr(owner, name)

    return undo
