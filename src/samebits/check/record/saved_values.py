"""The plain values that a script saves, without what tells the time or names the run.

Settings are saved beside tensors, and hold the run's name, a date, a duration. As in a printed line
or a written table, these say nothing of what was computed.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from typing import Any

from samebits.core.catalog.measurements import is_named_for_time, normal_form
from samebits.core.catalog.own_names import OwnNames, without_own_names
from samebits.core.fingerprint.contents import is_tensor

_MOST_TEXTS = 5000
"""Strings that are looked at; a vocabulary of more is no settings."""
_SINCE_1970 = 10**9
"""A whole number below is a count, such as how many times."""


def without_times(content: Any, own: OwnNames) -> Any:
    """The values without tensors, times, dates and the run's own names; None where they hold none.

    Mappings and dataclasses become lists of pairs, in their order: names that differ in a date
    alone stay apart.

    Args:
        content: A tree of containers that has a fingerprint: it contains itself nowhere.
        own: What the run calls itself.
    """
    walk = _WithoutTimes(own)
    result = walk.visit(content)
    return result if walk.has_left_out and walk.texts <= _MOST_TEXTS else None


class _WithoutTimes:
    """One traversal: remembers whether anything was left out."""

    def __init__(self, own: OwnNames) -> None:
        self.has_left_out = False
        self.texts = 0
        self._own = own

    def visit(self, obj: Any) -> Any:
        if isinstance(obj, str):
            return self._text(obj)
        if obj is None or isinstance(obj, int | float):
            return obj
        if is_tensor(obj) or self.texts > _MOST_TEXTS:
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
        is_number = isinstance(value, float) or (isinstance(value, int) and value >= _SINCE_1970)
        if is_number and isinstance(key, str) and _is_time(key):
            self.has_left_out = True
            return key, None
        return self.visit(key), self.visit(value)

    def _text(self, text: str) -> str:
        self.texts += 1
        result = without_own_names(_normal(text), self._own)
        self.has_left_out |= result != text
        return result


@functools.lru_cache(maxsize=4096)
def _normal(text: str) -> str:
    return "\n".join(map(normal_form, text.split("\n")))


@functools.lru_cache(maxsize=4096)
def _is_time(name: str) -> bool:
    return is_named_for_time(name)
