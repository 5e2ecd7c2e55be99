"""Which lines read and write numbers that processes share: `multiprocessing.Value` and `Array`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

from samebits.check.record.ledger.watching import Watching, event_code, source_code
from samebits.core.on_import import when_imported

_TYPES = "multiprocessing.sharedctypes"


def watch_shared_values(watching: Watching) -> None:
    """Watch what `Value` and `Array` return; what has no lock (`RawValue`) is memory of ctypes.

    Args:
        watching: The ledger's watches.
    """
    source = source_code("shared-value")
    events = {name: event_code(name) for name in ("read", "write")}

    def note(event: str, shared: Any, value: object) -> None:
        place = _place(shared)
        if place is not None:
            digest = blake2b(repr(value).encode(), digest_size=8).digest()
            detail = f"multiprocessing.{type(shared).__name__} {place}"
            watching.native.note(source, events[event], detail, int.from_bytes(digest, "little"))

    def listen() -> None:
        types: Any = sys.modules[_TYPES]
        for kind in (types.Synchronized, types.SynchronizedString):
            _put(watching, kind, "value", _noted_property(kind.value, note))
        array = types.SynchronizedArray
        for name in ("__getitem__", "__getslice__"):
            _put(watching, array, name, _noted_reading(vars(array)[name], note))
        for name in ("__setitem__", "__setslice__"):
            _put(watching, array, name, _noted_writing(vars(array)[name], note))

    when_imported(_TYPES, listen)


_Note = Callable[[str, Any, object], None]


def _put(watching: Watching, kind: type, name: str, replacement: Any) -> None:
    original = vars(kind)[name]
    setattr(kind, name, replacement)

    def undo() -> None:
        if vars(kind).get(name) is replacement:
            setattr(kind, name, original)

    watching.undo_with(undo)


def _noted_property(original: property, note: _Note) -> property:
    get, put = original.fget, original.fset
    assert get is not None
    assert put is not None

    def value(self: Any) -> Any:
        held = get(self)
        note("read", self, held)
        return held

    def set_value(self: Any, value: Any) -> None:
        put(self, value)
        note("write", self, value)

    return property(value, set_value, original.fdel, original.__doc__)


def _noted_reading(original: Callable[..., Any], note: _Note) -> Callable[..., Any]:
    def read(self: Any, *where: Any) -> Any:
        held = original(self, *where)
        note("read", self, held)
        return held

    return read


def _noted_writing(original: Callable[..., Any], note: _Note) -> Callable[..., Any]:
    def write(self: Any, *what: Any) -> None:
        original(self, *what)
        note("write", self, what[-1])

    return write


def _place(shared: Any) -> int | None:
    """Where a value lies in the memory that processes share; the same in each of them.

    None where that is not known: the module keeps it to itself.
    """
    try:
        (_, begin, _), _ = shared._obj._wrapper._state
    except (AttributeError, TypeError, ValueError):
        return None
    return int(begin)
