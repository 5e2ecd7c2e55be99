"""Fingerprints of things made of parts: a kind, the number of parts, and the parts in order."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from samebits.core import _native


class CompositeKind(IntEnum):
    """What a fingerprint stands for, besides a plain tensor. Numbers are for ever."""

    NONE = 128
    BOOL = 129
    INT = 130
    FLOAT = 131
    COMPLEX = 132
    STR = 133
    BYTES = 134
    DTYPE = 135
    DEVICE = 136
    LIST = 137
    TUPLE = 138
    SET = 139
    DICT = 140
    DATACLASS = 141
    NAMED_TUPLE = 142
    NUMPY_OTHER = 143
    GENERATOR = 144
    SPARSE_COO = 150
    SPARSE_COMPRESSED = 151
    QUANTIZED = 152
    NESTED = 153
    WRAPPER = 154


def leaf(kind: CompositeKind, content: bytes) -> int:
    """The fingerprint of a value that is some bytes."""
    return _native.fingerprint_bytes(content, kind)


def node(kind: CompositeKind, parts: Iterable[int]) -> int:
    """The fingerprint of an ordered sequence of parts."""
    parts = tuple(parts)
    running = _native.combine(kind, len(parts))
    for part in parts:
        running = _native.combine(running, part)
    return running


def text(value: str) -> int:
    """The fingerprint of a string; lone surrogates are kept apart."""
    return leaf(CompositeKind.STR, value.encode("utf-8", "surrogatepass"))


def integer(value: int) -> int:
    """The fingerprint of an integer of any size: its shortest two's complement."""
    size = value.bit_length() // 8 + 1
    return leaf(CompositeKind.INT, value.to_bytes(size, "little", signed=True))
