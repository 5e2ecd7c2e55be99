"""Addresses: objects are made where others have been freed, in a shuffled order."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import ClassVar

from samebits.control.interposition import Hook
from samebits.control.surroundings import Setting

_SMALLEST, _LARGEST, _GRAIN = 48, 512, 16
"""Bytes: what Python's own allocator keeps free lists for, from the smallest bytes object on."""


class Addresses(Hook):
    """Shuffles the free lists of Python's allocator.

    Address randomisation moves everything by the same distance; objects that are made one after
    another keep their order. Here blocks of every size are made and freed in a shuffled order, so
    that what is made next takes them in that order.

    Settings:
        seed: Decides the order.
        blocks: Blocks of each size.
    """

    name: ClassVar[str] = "addresses"
    defaults: ClassVar[Mapping[str, Setting]] = {"seed": 0, "blocks": 3000}

    def put_in_place(self) -> None:
        """Shuffle now, and when the large libraries are loaded, which use up what was freed."""
        self._order = random.Random(f"samebits.addresses/{self.settings['seed']}")
        self._shuffle()
        for module in ("numpy", "torch"):
            self.when_imported(module, self._shuffle)

    def _shuffle(self) -> None:
        self.acted += 1
        header = bytes.__basicsize__
        for size in range(_SMALLEST, _LARGEST + 1, _GRAIN):
            blocks: list[bytes | None] = [
                bytes(size - header) for _ in range(self.settings["blocks"])
            ]
            places = list(range(len(blocks)))
            self._order.shuffle(places)
            for place in places:
                blocks[place] = None
