"""How many rows are worked on at once."""
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Memory:
    megabytes: int = 48
    share: float = 1 / 400
    copies: int = 3

    def budget(self) -> int:
        free = psutil.virtual_memory().available
        wanted = self.megabytes * 2**20
        if wanted > free:
            raise MemoryError(f"{self.megabytes} MB wanted, which is more than is free")
        return wanted


def rows_at_once(columns: int, memory: Memory = Memory()) -> int:
    return max(1000, memory.budget() // (memory.copies * columns * 4))
