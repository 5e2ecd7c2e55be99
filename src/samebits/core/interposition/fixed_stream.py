"""Numbers that stand in for chance: the same in every run, other ones in every process of a run."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator

_PERSON = b"samebits.hook"


class FixedStream:
    """Bytes that depend on a seed, a purpose, the process and how many were asked for before.

    Each purpose has a count of its own, so that one more draw for one leaves the others alone.

    Args:
        seed: The seed.
    """

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._process: tuple[int, ...] = ()
        self._counts: dict[str, Iterator[int]] = {}

    def enter_child(self, number: int) -> None:
        """In a forked child: go on with numbers of its own.

        Args:
            number: How many children the parent had forked before, so that the first worker of a
                loader draws the same in each run and other numbers than the second.
        """
        self._process = (*self._process, number)
        self._counts = {}

    def take(self, purpose: str, size: int) -> bytes:
        """The next `size` bytes for this purpose."""
        # next() on itertools.count is one step even when several threads ask.
        count = next(self._counts.setdefault(purpose, itertools.count()))
        key = f"{self._seed}/{self._process}/{purpose}/{count}".encode()
        digest = hashlib.shake_128(_PERSON + key)
        return digest.digest(size)

    def take_number(self, purpose: str, bits: int) -> int:
        """The next number of `bits` bits for this purpose."""
        size = (bits + 7) // 8
        return int.from_bytes(self.take(purpose, size), "big") >> (8 * size - bits)
