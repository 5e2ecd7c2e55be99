"""Objects of the user's among saved values, opened so that what they hold has a fingerprint.

Settings from the command line are saved as an `argparse.Namespace`, a history as an object of a
class of one's own. What such an object holds is in its attributes; what is left is named.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any

from samebits.core.fingerprint.contents import is_tensor

_NAMED = (type, FunctionType, BuiltinFunctionType)
_NOT_OPENED = (ModuleType, MethodType)
_DEEPEST = 100


def opened(content: Any) -> tuple[Any, frozenset[str]]:
    """The content with a list of a name and attributes in the place of each object.

    Args:
        content: A tree of anything; it may contain itself.

    Returns:
        The tree, and the names of types of which nothing is known but that one is there.
    """
    opening = _Opening()
    return opening.visit(content), frozenset(opening.unknown)


class _Opening:
    def __init__(self) -> None:
        self.unknown: set[str] = set()
        self._above: list[int] = []
        self._opened: dict[int, tuple[Any, Any]] = {}

    def visit(self, obj: Any) -> Any:
        if obj is None or isinstance(obj, bool | int | float | complex | str | bytes):
            return obj
        if id(obj) in self._above:
            return ["contains itself", len(self._above) - self._above.index(id(obj))]
        if len(self._above) >= _DEEPEST:
            return self._name(obj)
        self._above.append(id(obj))
        try:
            return self._parts(obj)
        finally:
            self._above.pop()

    def _parts(self, obj: Any) -> Any:
        if isinstance(obj, Mapping):
            return {key: self.visit(value) for key, value in obj.items()}
        if isinstance(obj, tuple) and hasattr(obj, "_fields"):
            return [_type_of(obj), *map(self.visit, obj)]
        if isinstance(obj, list | tuple):
            return [self.visit(item) for item in obj]
        if _has_fingerprint(obj):
            return obj
        if isinstance(obj, _NAMED):
            return [obj.__module__, obj.__qualname__]
        if id(obj) in self._opened:  # held in several places
            return self._opened[id(obj)][1]
        held = _attributes(obj)
        if held is None:
            return self._name(obj)
        known = [_type_of(obj), {name: self.visit(value) for name, value in held.items()}]
        self._opened[id(obj)] = obj, known
        return known

    def _name(self, obj: Any) -> list[str]:
        name = _type_of(obj)
        self.unknown.add(name)
        return [name]


def _has_fingerprint(obj: Any) -> bool:
    from samebits.core.fingerprint.tree import fingerprint
    from samebits.errors import UsageError

    try:
        fingerprint(obj)
    except UsageError:
        return False
    return True


def _attributes(obj: Any) -> dict[str, Any] | None:
    """What an object holds; None where that is not in its attributes, or it is an order of none."""
    if isinstance(obj, _NOT_OPENED) or is_tensor(obj) or isinstance(obj, AbstractSet):
        return None
    if dataclasses.is_dataclass(obj):
        return {field.name: getattr(obj, field.name) for field in dataclasses.fields(obj)}
    held = getattr(obj, "__dict__", None)
    return dict(held) if isinstance(held, dict) else None


def _type_of(obj: Any) -> str:
    return f"{type(obj).__module__}.{type(obj).__qualname__}"
