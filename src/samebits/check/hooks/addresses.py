"""Addresses: objects are made where others have been freed, in a shuffled order."""

from __future__ import annotations

import builtins
import itertools
import random
import sys
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from samebits.core.interposition import Hook, UserLines
from samebits.core.interposition.hook import Function
from samebits.core.setting import Setting

_SMALLEST, _SMALL, _LARGEST, _GRAIN = 48, 512, 2048, 16
"""Bytes: up to the second Python's own allocator keeps free lists, beyond it the system's does."""
_POOL = 4096
"""Bytes: Python's own allocator cuts small blocks from pools of this size, or of four times it."""
_LARGE_BLOCKS = 24
_ONE_ITEM = int(vars(type)["__itemsize__"].__get__(type, type))
_OF_CLASSES = 128
"""Blocks of the size of a class: room for so many, then they are made anew, further up."""
_PROBES = 12
_FEWEST_TURNS = 2
"""Rises, and falls, among the probes: a shuffle that leaves fewer happens once in 50,000."""
_USE_UP_MUCH = ("numpy", "torch", "scipy", "pandas", "sklearn", "torchvision", "transformers")


class AddressesHook(Hook):
    """Shuffles what memory is handed out next.

    Address randomisation moves everything by the same distance; objects that are made one after
    another keep their order. Here blocks of every size up to 2,048 bytes are made and freed in a
    shuffled order, so that what is made next takes them in that order: instances, functions,
    containers, and classes, before the first of which it is done again. It counts as acting only
    where new objects were seen to lie in no plain order afterwards.

    Settings:
        seed: Decides the order.
        blocks: Blocks of each size up to 512 bytes.
    """

    name: ClassVar[str] = "addresses"
    defaults: ClassVar[Mapping[str, Setting]] = {"seed": 0, "blocks": 3000}

    def __init__(self, settings: Mapping[str, Setting], lines: UserLines) -> None:
        super().__init__(settings, lines)
        self._order = random.Random(f"samebits.addresses/{self.settings['seed']}")
        self._classes = 0
        # Python leaves room for one item more than a class has.
        self._class_size = sys.getsizeof(type("Any", (), {})) + _ONE_ITEM
        self._kept: list[bytes] = []

    def put_in_place(self) -> None:
        """Shuffle now, when large libraries have used up what was freed, and before classes."""
        self._shuffle()
        for module in _USE_UP_MUCH:
            self.when_imported(module, self._shuffle)
        self.replace(builtins, "__build_class__", self._build_class)

    def _build_class(self, original: Function) -> Function:
        def build_class(*args: Any, **kwargs: Any) -> Any:
            if self._lines.are_calling():
                if self._classes % _OF_CLASSES == 0:
                    self._shuffle_large([self._class_size], 2 * _OF_CLASSES)
                self._classes += 1
            return original(*args, **kwargs)

        return build_class

    def _shuffle(self) -> None:
        for size in range(_SMALLEST, _SMALL + 1, _GRAIN):
            self._shuffle_small(size)
        self._shuffle_large(range(_SMALL + _GRAIN, _LARGEST + 1, _GRAIN), _LARGE_BLOCKS)
        self.acted += all(map(self._is_shuffled, (64, 160, self._class_size)))

    def _shuffle_small(self, size: int) -> None:
        made = [_block(size) for _ in range(self.settings["blocks"])]
        # A pool of which all is free may go to another size, and is then cut anew, in plain order.
        one_a_pool = {id(block) // _POOL: block for block in made}
        self._kept += one_a_pool.values()
        kept = set(map(id, one_a_pool.values()))
        freed = [block for block in made if id(block) not in kept]
        one_a_pool.clear()
        made.clear()
        self._freed(freed)

    def _shuffle_large(self, sizes: Iterable[int], blocks: int) -> None:
        for size in sizes:
            made = [_block(size) for _ in range(2 * blocks)]
            # The system's allocator joins neighbours that are free: every second one stays.
            self._kept += made[::2]
            freed = made[1::2]
            made.clear()
            self._freed(freed)

    def _freed(self, blocks: list[bytes]) -> None:
        """Free blocks in a shuffled order; nobody else may hold them."""
        self._order.shuffle(blocks)
        while blocks:
            blocks.pop()

    @staticmethod
    def _is_shuffled(size: int) -> bool:
        """Whether blocks that are made one after another go up and down."""
        places = [id(block) for block in [_block(size) for _ in range(_PROBES)]]
        rises = sum(after > before for before, after in itertools.pairwise(places))
        return _FEWEST_TURNS <= rises < _PROBES - _FEWEST_TURNS


def _block(size: int) -> bytes:
    return bytes(size - bytes.__basicsize__)
