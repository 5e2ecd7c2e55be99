"""Where the values lie that only a program needs: one stretch of memory, used again and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

Key = TypeVar("Key")

_LINE = 64
"""Bytes of a cache line, at which every value begins."""


def planned(values: Mapping[Key, tuple[int, int, int]]) -> tuple[dict[Key, int], int]:
    """Places of values such that none is overwritten while it is needed.

    Args:
        values: By key the bytes of a value, the step that makes it and the last one that reads it.

    Returns:
        The first byte of each, and how many bytes there have to be.
    """
    places: dict[Key, int] = {}
    total = 0
    for key, (size, made, _) in sorted(values.items(), key=lambda item: (item[1][1], -item[1][0])):
        # Those that are still needed when this one is made, or made by the same step.
        taken = sorted(
            (places[other], places[other] + _lines(values[other][0]))
            for other in places
            if values[other][2] >= made
        )
        at = 0
        for begin, end in taken:
            if begin - at >= _lines(size):
                break
            at = max(at, end)
        places[key] = at
        total = max(total, at + _lines(size))
    return places, total


def _lines(size: int) -> int:
    return (size + _LINE - 1) // _LINE * _LINE
