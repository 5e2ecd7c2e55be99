"""Attributes of modules and classes that are replaced for a while."""

from __future__ import annotations

import ctypes
import gc
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from samebits.core import _native
from samebits.core.on_import import when_imported

# Py_TPFLAGS_IMMUTABLETYPE (3.10 and newer); types written in C have it even when they are not
# declared so, because `setattr` refuses every type without Py_TPFLAGS_HEAPTYPE.
_IMMUTABLE, _HEAP = 1 << 8, 1 << 9


_acting: WeakKeyDictionary[Any, Callable[..., Any]] = WeakKeyDictionary()
"""What acts in each replacement."""


class Replacements:
    """Puts replacements in the place of functions, and everything back in the end."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._awaited: dict[str, list[Callable[[], None]]] = {}

    def replace(
        self, owner: Any, name: str, make: Callable[[Callable[..., Any]], Callable[..., Any]]
    ) -> None:
        """Put a replacement for `owner.name`.

        Args:
            owner: A module or a class, also one that is written in C.
            name: The attribute; an owner that lacks it is left alone.
            make: Given the original function, returns what acts in its place. It is called with
                the arguments of the original, `self` or `cls` included. Where another hook has
                replaced that already, it is given what acts there, so that both do.
        """
        space = _namespace(owner)
        if name not in space:
            return
        before = space[name]
        original = before.__func__ if isinstance(before, (staticmethod, classmethod)) else before
        # What stands there for samebits alone is the original: another hook's part acts for all.
        replaced = type(original) is _native.Replacement
        acting = make(_acting[original] if replaced else original)
        after: Any = _native.Replacement(original, acting)
        _acting[after] = acting
        if isinstance(before, (staticmethod, classmethod)):
            after = type(before)(after)
        self.put(owner, name, after)
        # os.listdir calls itself posix.listdir, and is pickled so.
        home = sys.modules.get(str(getattr(original, "__module__", "")))
        if isinstance(owner, ModuleType) and home is not None and home is not owner:
            own_name = str(getattr(original, "__name__", ""))
            if _namespace(home).get(own_name) is original:
                self.put(home, own_name, after)

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Set `owner.name` to `value`, which is not wrapped."""
        before = _namespace(owner)[name]
        _set(owner, name, value)

        def undo() -> None:
            # Somebody may have replaced it since; then it is theirs to put back.
            if _namespace(owner).get(name) is value:
                _set(owner, name, before)

        self._undo.append(undo)

    def when_imported(self, module: str, put: Callable[[], None]) -> None:
        """Call `put` now or right after a module's import, if it comes before the next `undo`.

        Args:
            module: The module's full name.
            put: Puts the replacements that need it.
        """
        if module in sys.modules:
            put()
            return
        if module not in self._awaited:
            when_imported(module, lambda: [late() for late in self._awaited[module]])
        self._awaited.setdefault(module, []).append(put)

    def undo(self) -> None:
        """Put everything back, the last first."""
        while self._undo:
            self._undo.pop()()
        for late in self._awaited.values():
            late.clear()


def _namespace(owner: Any) -> Any:
    return owner.__dict__


def _set(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, ModuleType) or not _is_immutable(owner):
        setattr(owner, name, value)
        return
    # `datetime.datetime` and the like refuse setattr, and a subclass in their place would show:
    # isinstance, pickles and every module that has imported the name already. The dictionary
    # behind the type's read-only view takes the change; PyType_Modified then empties the caches
    # of attribute lookups, as setattr itself does for classes written in Python.
    real = gc.get_referents(owner.__dict__)[0]
    assert isinstance(real, dict)
    real[name] = value
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))


def _is_immutable(owner: type) -> bool:
    flags = owner.__flags__
    return bool(flags & _IMMUTABLE) or not flags & _HEAP
