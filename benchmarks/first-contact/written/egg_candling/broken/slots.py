"""Batches in shared memory, handed from the drawing process to the training one without copies."""
from __future__ import annotations

from dataclasses import dataclass
from multiprocessing import shared_memory

import numpy as np

SIDE = 28


@dataclass(frozen=True)
class Layout:
    batch: int
    waiting: int

    @property
    def slots(self) -> int:
        return self.waiting + 1

    @property
    def pixels(self) -> int:
        return self.batch * SIDE * SIDE

    @property
    def size(self) -> int:
        return self.slots * (self.pixels * 4 + self.batch)


class Slots:
    def __init__(self, layout: Layout, name: str | None = None) -> None:
        self.layout = layout
        self.memory = shared_memory.SharedMemory(name=name, create=name is None, size=layout.size)
        shape = (layout.slots, layout.batch)
        self.images = np.ndarray((*shape, SIDE, SIDE), dtype=np.float32, buffer=self.memory.buf)
        self.labels = np.ndarray(shape, dtype=np.uint8, buffer=self.memory.buf,
                                 offset=layout.slots * layout.pixels * 4)

    @property
    def name(self) -> str:
        return self.memory.name

    def at(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        slot = number % self.layout.slots
        return self.images[slot], self.labels[slot]

    def close(self, unlink: bool = False) -> None:
        self.images = self.labels = None
        self.memory.close()
        if unlink:
            self.memory.unlink()
