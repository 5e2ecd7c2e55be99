"""Keys: 16 bytes for everything in a loader that is random, derived from its seed.

key = BLAKE2b-128, keyed with 256 bits from `SeedSequence(seed)`, of (purpose, epoch, content). What
a key stands for (an order, the state of a generator) is expanded from it elsewhere.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import numbers
import struct
import sys
from collections.abc import Sequence
from typing import Any

from samebits.training.control.streams import seed_sequence

_HEAD = struct.Struct("<BQ")  # purpose, epoch
_SAMPLE = struct.Struct("<BQQcq")  # the same, occurrence, kind of index, index
_PERSON = b"samebits.loader"

_ORDER, _SAMPLE_OF_MAP, _ITEM_OF_STREAM, _WORKERS, _EMPTY_BATCH = range(5)


class Keys:
    """The keys of one loader.

    Args:
        seed: From 0 to 2**64 - 1.
    """

    def __init__(self, seed: int) -> None:
        # Not the root itself is kept: a hash object cannot go to another process.
        self._root = seed_sequence(seed, "loader", "", None).generate_state(8).tobytes()
        self._hash = hashlib.blake2b(digest_size=16, key=self._root, person=_PERSON)

    def __getstate__(self) -> bytes:
        return self._root

    def __setstate__(self, root: bytes) -> None:
        self._root = root
        self._hash = hashlib.blake2b(digest_size=16, key=root, person=_PERSON)

    def sample(self, epoch: int, index: Any, occurrence: int, place: int) -> bytes:
        """The key of one sample of a map-style dataset.

        Args:
            epoch: Which epoch.
            index: What the sampler yielded.
            occurrence: How often the epoch has had this index before.
            place: Where in the epoch's order the sample stands; it decides only where the index is
                an object whose content cannot be told.
        """
        if type(index) is int and -(2**63) <= index < 2**63:
            return self._digest(_SAMPLE.pack(_SAMPLE_OF_MAP, epoch, occurrence, b"i", index))
        content = content_of(index)
        if content is None:
            occurrence, content = 0, b"@" + struct.pack("<Q", place)
        return self._digest(_HEAD.pack(_SAMPLE_OF_MAP, epoch) + _pack(occurrence) + content)

    def samples(
        self, epoch: int, indices: Sequence[Any], occurrences: Sequence[int] | None, place: int
    ) -> list[bytes]:
        """The keys of samples that follow each other, as `sample` gives them.

        Args:
            epoch: Which epoch.
            indices: What the sampler yielded.
            occurrences: For each, how often the epoch has had it before; `None` means never.
            place: Where in the epoch's order the first of them stands.
        """
        keys: list[bytes] = []
        pack, start = _SAMPLE.pack, self._hash.copy
        for index, occurrence in zip(indices, occurrences or itertools.repeat(0), strict=False):
            if type(index) is not int or not -(2**63) <= index < 2**63:
                keys.append(self.sample(epoch, index, occurrence, place + len(keys)))
                continue
            # As in `sample`, for the many.
            key = start()
            key.update(pack(_SAMPLE_OF_MAP, epoch, occurrence, b"i", index))
            keys.append(key.digest())
        return keys

    def item(self, epoch: int, lane: int, number: int) -> bytes:
        """The key of item `number` that an iterable dataset gives in worker `lane`."""
        return self._digest(_HEAD.pack(_ITEM_OF_STREAM, epoch) + _pack(lane) + _pack(number))

    def order(self, epoch: int) -> bytes:
        """The key of an epoch's order."""
        return self._digest(_HEAD.pack(_ORDER, epoch))

    def workers(self, epoch: int) -> bytes:
        """The key of the seeds that workers start with, before their first sample."""
        return self._digest(_HEAD.pack(_WORKERS, epoch))

    def empty_batch(self, epoch: int, place: int) -> bytes:
        """The key for collating a batch that holds no sample."""
        return self._digest(_HEAD.pack(_EMPTY_BATCH, epoch) + _pack(place))

    def _digest(self, content: bytes) -> bytes:
        copy = self._hash.copy()
        copy.update(content)
        return copy.digest()


def derived(key: bytes, name: str) -> bytes:
    """The key called `name` below `key`."""
    content = name.encode("utf-8", "surrogatepass")
    return hashlib.blake2b(content, digest_size=16, key=key, person=_PERSON).digest()


def content_of(index: Any) -> bytes | None:
    """An index as bytes that say what it is, whichever process or day asks.

    Numbers that are equal as integers (`3`, `numpy.int64(3)`, a tensor holding 3) give the same.
    Strings, bytes, floats, `None`, and tuples, lists, dicts and dataclasses of all these differ
    whenever their contents do. `None` for everything else.
    """
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    if torch is not None and isinstance(index, torch.Tensor):
        index = index.item() if index.ndim == 0 else index.tolist()
    elif numpy is not None and isinstance(index, (numpy.ndarray, numpy.generic)):
        index = index.tolist()
    if isinstance(index, numbers.Integral):
        value = int(index)
        if -(2**63) <= value < 2**63:
            return b"i" + struct.pack("<q", value)
        return b"I" + _framed(str(value).encode())
    if index is None:
        return b"n"
    if isinstance(index, float):
        return b"f" + struct.pack("<d", index)
    if isinstance(index, str):
        return b"s" + _framed(index.encode("utf-8", "surrogatepass"))
    if isinstance(index, bytes):
        return b"b" + _framed(index)
    return _container(index)


def _container(index: Any) -> bytes | None:
    if isinstance(index, (tuple, list)):
        parts: list[Any] = list(index)
    elif isinstance(index, dict):
        parts = [part for item in index.items() for part in item]
    elif dataclasses.is_dataclass(index) and not isinstance(index, type):
        parts = [getattr(index, field.name) for field in dataclasses.fields(index)]
    else:
        return None
    contents = [content_of(part) for part in parts]
    if None in contents:
        return None
    return b"(" + _pack(len(parts)) + b"".join(part for part in contents if part is not None)


def _framed(content: bytes) -> bytes:
    return _pack(len(content)) + content


def _pack(number: int) -> bytes:
    return struct.pack("<Q", number)
