"""What pickle writes of an object, where that can be told without asking the object.

Most objects are pickled as what lies in their attributes, and what lies in the container that their
class extends. A class may say otherwise, in methods that may do anything: they are not called a
second time. What such an object has written is found in the file alone.
"""

from __future__ import annotations

import copyreg
import dataclasses
import random
import sys
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from functools import partial
from types import MemberDescriptorType, SimpleNamespace
from typing import Any

_ASKED = (
    "__reduce_ex__",
    "__reduce__",
    "__getstate__",
    "__getnewargs__",
    "__getnewargs_ex__",
)
"""What pickle asks a class for."""
_Parts = Callable[[Any], list[Any]]


@dataclasses.dataclass(frozen=True)
class _Base:
    """A class whose way of being pickled is known.

    Attributes:
        kind: The class; of what extends it, all that pickle asks has to be inherited.
        parts: What is written beside attributes.
        walks: What else pickle calls to come to these.
        has_state: Whether attributes are written.
    """

    kind: type
    parts: _Parts
    walks: tuple[str, ...] = ()
    has_state: bool = True

    def pickles(self, kind: type) -> bool:
        """Whether a class that extends this one is pickled as this one is."""
        return all(
            getattr(kind, name, None) is getattr(self.kind, name, None) or _is_known(kind, name)
            for name in (*_ASKED, *self.walks)
        )


def pickled_parts(obj: Any) -> list[Any] | None:
    """What pickle writes of an object besides its class; None where only the file can tell.

    Args:
        obj: Anything but classes, functions and tensors.

    Returns:
        Parts, each to be looked into: what a container holds, and attributes by name where there
        are any.
    """
    kind = type(obj)
    base = next((one for one in _bases() if isinstance(obj, one.kind)), _OBJECT)
    held = attributes(obj)
    asks_the_object = not held.keys().isdisjoint(_ASKED)
    if asks_the_object or kind in copyreg.dispatch_table or not base.pickles(kind):
        return None
    return [*base.parts(obj), *([held] if held and base.has_state else [])]


def attributes(obj: Any) -> dict[str, Any]:
    """What lies in the attributes of an object, in `__dict__` or in slots, without asking it."""
    try:
        held = dict(object.__getattribute__(obj, "__dict__"))
    except (AttributeError, TypeError):
        held = {}
    for kind in type(obj).__mro__:
        if "__slots__" not in vars(kind):
            continue
        for name, slot in vars(kind).items():
            if isinstance(slot, MemberDescriptorType):
                try:
                    held[name] = slot.__get__(obj)
                except AttributeError:
                    continue  # nothing is in it
    return held


def _is_known(kind: type, name: str) -> bool:
    """Whether a method of a class is one of those that named tuples and dataclasses are given."""
    code = getattr(getattr(kind, name, None), "__code__", None)
    return code is not None and any(code is known for known in _KNOWN_CODE.get(name, ()))


_OF_NAMED_TUPLES = namedtuple("_OF_NAMED_TUPLES", "field")
_KNOWN_CODE = {
    "__getnewargs__": [vars(_OF_NAMED_TUPLES)["__getnewargs__"].__code__],
    "__getstate__": [
        method.__code__
        for method in [getattr(dataclasses, "_dataclass_getstate", None)]
        if method is not None
    ],
}


def _items_of_dict(obj: Any) -> list[Any]:
    return [dict(dict.items(obj))]


def _items_of_list(obj: Any) -> list[Any]:
    return [list(list.__iter__(obj))]


def _items_of_tuple(obj: Any) -> list[Any]:
    names = getattr(type(obj), "_fields", None)
    items = list(tuple.__iter__(obj))
    named = isinstance(names, tuple) and len(names) == len(items)
    return [dict(zip(names, items, strict=True)) if named and names else items]


def _of_default_dict(obj: Any) -> list[Any]:
    return [obj.default_factory, *_items_of_dict(obj)]


def _of_deque(obj: Any) -> list[Any]:
    return [list(deque.__iter__(obj)), obj.maxlen]


def _of_partial(obj: Any) -> list[Any]:
    return [obj.func, list(obj.args), dict(obj.keywords)]


def _of_optimizer(obj: Any) -> list[Any]:
    held = vars(obj)
    return [{name: held.get(name) for name in ("defaults", "state", "param_groups")}]


def _of_module(obj: Any) -> list[Any]:
    # A compiled call is left out by newer versions of torch, and fails to be saved by others.
    held = attributes(obj).items()
    return [{name: value for name, value in held if name != "_compiled_call_impl"}]


_OBJECT = _Base(object, lambda obj: [])
_KNOWN = (
    _Base(Counter, _items_of_dict, ("items", "keys", "__iter__", "__getitem__"), has_state=False),
    _Base(OrderedDict, _items_of_dict, ("items", "__iter__", "__getitem__")),
    _Base(defaultdict, _of_default_dict, ("items", "__iter__"), has_state=False),
    _Base(dict, _items_of_dict, ("items", "__iter__")),
    _Base(deque, _of_deque, ("__iter__",)),
    _Base(list, _items_of_list, ("__iter__",)),
    _Base(tuple, _items_of_tuple),
    _Base(set, lambda obj: [set(set.__iter__(obj))], ("__iter__",)),
    _Base(frozenset, lambda obj: [frozenset(frozenset.__iter__(obj))], ("__iter__",)),
    _Base(partial, _of_partial),
    _Base(random.Random, lambda obj: [list(obj.getstate())], ("getstate",), has_state=False),
    _Base(SimpleNamespace, lambda obj: []),
    _Base(BaseException, lambda obj: [list(obj.args)]),
    _Base(int, lambda obj: [int.__pos__(obj)]),
    _Base(float, lambda obj: [float.__pos__(obj)]),
    _Base(complex, lambda obj: [complex.__pos__(obj)]),
    _Base(str, lambda obj: [str.__str__(obj)]),
    _Base(bytes, lambda obj: [bytes.__getitem__(obj, slice(None))]),
)


def _bases() -> list[_Base]:
    of_torch = (("torch.nn", "Module", _of_module), ("torch.optim", "Optimizer", _of_optimizer))
    found = []
    for module, name, parts in of_torch:
        kind = getattr(sys.modules.get(module), name, None)
        if isinstance(kind, type):
            found.append(_Base(kind, parts, has_state=False))
    return [*_KNOWN, *found]
