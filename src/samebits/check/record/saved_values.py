"""The plain values that a script saves, without what tells the time or names the run.

Settings are saved beside tensors, and hold the run's name, a date, a duration. As in a printed line
or a written table, these say nothing of what was computed.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
from collections.abc import Callable, Mapping
from typing import Any

from samebits.core.catalog.measurements import normal_form
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.fingerprint.contents import is_tensor

_MOST = 5000
"""Strings that are looked at, and numbers; a vocabulary of more is no settings."""
_LARGEST = 2**53
"""Whole numbers beyond are not told apart as floats."""


def without_times(content: Any, own: OwnNames, is_time: Callable[[float], bool]) -> Any:
    """The values without tensors, times, dates and the run's own names; None where they hold none.

    Mappings and dataclasses become lists of pairs, in their order: names that differ in a date
    alone stay apart.

    Args:
        content: A tree of containers that has a fingerprint: it contains itself nowhere.
        own: What the run calls itself.
        is_time: Tells a number that a clock has given, or the time between two of its readings. A
            number is no time for its name's sake, or for being like the present.
    """
    walk = _WithoutTimes(own, is_time)
    result = walk.visit(content)
    return result if walk.has_left_out and walk.texts <= _MOST else None


def lines_of(values: Any) -> list[str]:
    """The plain values of a saved object, one a line.

    None of more than a few thousand, and none where something in it is neither plain nor a tensor.

    Args:
        values: A tree of containers that has a fingerprint.
    """
    lines: list[str] = []
    waiting: list[tuple[str, Any]] = [("", values)]
    while waiting and len(lines) <= _MOST:
        name, value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [(f"{name}.{key}", held) for key, held in value.items()]
        elif isinstance(value, list | tuple):
            waiting += [(f"{name}.", held) for held in value]
        elif value is None or isinstance(value, str | int | float):
            lines.append(f"{name} {value}")
        elif not is_tensor(value):
            return []
    return lines if len(lines) <= _MOST else []


def order_of(values: Any) -> str:
    """A digest of the order of what dicts hold, in a saved object; "" where none has an order.

    Fingerprints take no account of it.

    Args:
        values: A tree of containers that has a fingerprint: it contains itself nowhere.
    """
    digest = hashlib.blake2b(digest_size=16)
    has_order = False
    waiting: list[Any] = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            has_order |= len(value) > 1
            names = [_name_in_order(key) for key in value]
            digest.update(repr((len(value), names)).encode("utf-8", "surrogatepass"))
            waiting += value.values()
        elif isinstance(value, list | tuple):
            waiting += value
    return digest.hexdigest() if has_order else ""


def _name_in_order(key: Any) -> Any:
    """A key as it shows itself the same in each run; None for any other, such as a set."""
    if isinstance(key, tuple):
        return tuple(map(_name_in_order, key))
    return key if key is None or isinstance(key, str | bytes | int | float | complex) else None


class _WithoutTimes:
    """One traversal: remembers whether anything was left out."""

    def __init__(self, own: OwnNames, is_time: Callable[[float], bool]) -> None:
        self.has_left_out = False
        self.texts = self.numbers = 0
        self._own = own
        self._tells_time = is_time

    def visit(self, obj: Any) -> Any:
        if isinstance(obj, str):
            return self._text(obj)
        if obj is None or isinstance(obj, int | float):
            return None if self._is_time(obj) else obj
        if is_tensor(obj) or self.texts > _MOST:
            return None
        if isinstance(obj, Mapping):
            return [self._named(key, value) for key, value in obj.items()]
        if isinstance(obj, tuple) and hasattr(obj, "_fields"):
            pairs = zip(obj._fields, obj, strict=True)
            return [self._named(name, value) for name, value in pairs]
        if isinstance(obj, list | tuple):
            return [self.visit(item) for item in obj]
        if dataclasses.is_dataclass(obj) and not isinstance(obj, type):
            fields = dataclasses.fields(obj)
            return [self._named(f.name, getattr(obj, f.name)) for f in fields]
        return obj

    def _named(self, key: Any, value: Any) -> tuple[Any, Any]:
        # What is no name is kept whole: a tensor as a key is found nowhere else.
        return self._text(key) if isinstance(key, str) else key, self.visit(value)

    def _is_time(self, number: float | None) -> bool:
        self.numbers += 1
        if number is None or isinstance(number, bool) or self.numbers > _MOST:
            return False
        found = 0 < number < _LARGEST and self._tells_time(float(number))
        self.has_left_out |= found
        return found

    def _text(self, text: str) -> str:
        self.texts += 1
        result = without_own_names(_normal(text), self._own)
        self.has_left_out |= result != text
        return result


@functools.lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    return "\n".join(map(normal_form, text.split("\n")))
