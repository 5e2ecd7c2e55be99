"""Putting a hook where a function is looked up, in the way that its interpreter allows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from samebits.core import _native

CALL = 3
"""The kind of hook that reports each call to Python; kinds as in native/python/call_hook.hpp."""
DRAWN = 8
"""The kind that tells the ledger what a method of `random.Random` gave."""

After = Callable[[tuple[Any, ...], dict[str, Any], Any], None]


def hook_function(
    native: _native.Recorder, owner: Any, name: str, kind: int, after: After | None = None
) -> Callable[[], None]:
    """Hook a function of a module, a method of a class, or a callable that an object holds.

    Args:
        native: The recorder that each call is reported to.
        owner: Where the function is looked up.
        name: What it is called there.
        kind: A kind of hook, as in native/python/call_hook.hpp.
        after: For hooks that report to Python: called with (args, kwargs, result) of each call.

    Returns:
        What takes the hook out again, unless somebody has put another thing in its place since.
    """
    original = owner.__dict__[name]
    if native.hook_inside(kind, original, after):
        return lambda: native.unhook_inside(original)
    hook = native.call_hook(kind, original, after)
    # A pickle names a function by the module that defines it, and must find the same object there.
    home = sys.modules.get(getattr(original, "__module__", None) or "")
    places = [owner]
    if isinstance(owner, ModuleType) and home is not None and vars(home).get(name) is original:
        places.append(home)
    for place in places:
        setattr(place, name, hook)

    def undo() -> None:
        for place in places:
            if vars(place).get(name) is hook:
                setattr(place, name, original)

    return undo


def hook_inherited(
    native: _native.Recorder, owner: type, name: str, kind: int
) -> Callable[[], None]:
    """Hook a method that a class has from a base that is written in C and cannot be changed.

    Args:
        native: The recorder that each call is reported to.
        owner: The class; nothing is done where it defines the method itself.
        name: What the method is called.
        kind: A kind of hook, as in native/python/call_hook.hpp.

    Returns:
        What takes the hook out again, unless somebody has put another thing in its place since.
    """
    if name in vars(owner):
        return lambda: None
    hook = native.call_hook(kind, getattr(owner, name), None)
    setattr(owner, name, hook)

    def undo() -> None:
        if vars(owner).get(name) is hook:
            delattr(owner, name)

    return undo
