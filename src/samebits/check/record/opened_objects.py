"""Objects of the user's among saved values, opened so that what they hold has a fingerprint.

Settings from the command line are saved as an `argparse.Namespace`, a history as an object of a
class of one's own. What such an object holds is opened where that is what pickle has written; what
is left is named, and only the file says what it holds.
"""

from __future__ import annotations

import enum
import sys
from collections import OrderedDict
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType
from typing import Any

from samebits.check.record.pickled_parts import attributes, pickled_parts
from samebits.core.fingerprint.contents import is_tensor

_NAMED = (type, FunctionType, BuiltinFunctionType)
_PLAIN = frozenset({type(None), bool, int, float, complex, str, bytes})
_DEEPEST = 100


def opened(content: Any) -> tuple[Any, frozenset[str]]:
    """The content with a list of a name and parts in the place of each object.

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
        if type(obj) in _PLAIN:
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
        kind = type(obj)
        if kind is dict:
            return self._mapping(obj)
        if kind is list or kind is tuple:
            return obj if _are_plain(obj) else kind(map(self.visit, obj))
        if kind is set or kind is frozenset:
            # Of other elements nobody can tell which is which.
            return obj if all(_is_key(one) for one in obj) else self._name(obj)
        if _is_shape(kind):
            return tuple(obj)
        if _is_leaf(obj):
            return self._leaf(obj)
        if isinstance(obj, _NAMED):
            return [obj.__module__, obj.__qualname__]
        if isinstance(obj, enum.Enum):
            return [_type_of(obj), self.visit(obj._value_)]
        if id(obj) in self._opened:  # held in several places
            return self._opened[id(obj)][1]
        parts = pickled_parts(obj)
        if parts is None:
            return self._name(obj)
        if kind is OrderedDict and len(parts) > 1 and parts[1].keys() == {"_metadata"}:
            # Versions of a model's modules. Each name in it is one of a tensor's as well.
            known = [self.visit(parts[0]), _digest_of(self.visit(parts[1]))]
        else:
            known = [_type_of(obj), *map(self.visit, parts)]
        self._opened[id(obj)] = obj, known
        return known

    def _mapping(self, held: dict[Any, Any]) -> Any:
        if all(map(_is_key, held)):
            return {key: self.visit(value) for key, value in held.items()}
        return ["mapping", *([self.visit(key), self.visit(held[key])] for key in held)]

    def _leaf(self, obj: Any) -> Any:
        if not _has_fingerprint(obj):
            return self._name(obj)
        held = attributes(obj) if is_tensor(obj) else {}
        return [obj, self._mapping(held)] if held and _is_of_torch(obj) else obj

    def _name(self, obj: Any) -> list[str]:
        name = _type_of(obj)
        self.unknown.add(name)
        return [name]


def _are_plain(items: Iterable[Any]) -> bool:
    return all(type(item) in _PLAIN for item in items)


def _is_key(obj: Any) -> bool:
    """Whether something may stand as it is for a key of a mapping, or in a set."""
    return type(obj) in _PLAIN or (type(obj) is tuple and _are_plain(obj)) or is_tensor(obj)


def _is_of_torch(obj: Any) -> bool:
    """Whether it is a tensor of torch's own kinds, whose attributes are written beside it."""
    torch = sys.modules.get("torch")
    return torch is not None and type(obj) in (torch.Tensor, torch.nn.Parameter)


def _is_leaf(obj: Any) -> bool:
    """Whether something is one of torch's or NumPy's own things."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(obj, torch.dtype | torch.device):
        return True
    return is_tensor(obj) or (numpy is not None and isinstance(obj, numpy.ndarray | numpy.generic))


def _is_shape(kind: type) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and kind is torch.Size


def _digest_of(content: Any) -> Any:
    from samebits.core.fingerprint.tree import fingerprint
    from samebits.errors import UsageError

    try:
        return bytes.fromhex(fingerprint(content))
    except UsageError:
        return content


def _has_fingerprint(obj: Any) -> bool:
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if torch is not None and isinstance(obj, torch.Tensor | torch.Generator):
        return True
    if numpy is not None and isinstance(obj, numpy.ndarray):
        # What extends an array may hold more than that: a mask.
        if type(obj) is not numpy.ndarray or obj.dtype.hasobject:
            return False
        obj = obj[:0] if obj.ndim else obj
    from samebits.core.fingerprint.tree import fingerprint
    from samebits.errors import UsageError

    try:
        fingerprint(obj)
    except UsageError:
        return False
    return True


def _type_of(obj: Any) -> str:
    return f"{type(obj).__module__}.{type(obj).__qualname__}"
