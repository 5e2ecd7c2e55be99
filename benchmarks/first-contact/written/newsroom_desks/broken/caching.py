"""A small cache whose entries grow old."""
from dataclasses import dataclass, field
from typing import Any, Callable, Hashable


@dataclass
class ExpiringCache:
    lifetime: float
    clock: Callable[[], float]
    entries: dict = field(default_factory=dict)
    hits: int = 0
    misses: int = 0

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """The entry of that key, made anew where there is none or it is too old."""
        now = self.clock()
        found = self.entries.get(key)
        if found is not None and now - found[0] <= self.lifetime:
            self.hits += 1
            return found[1]
        self.misses += 1
        value = make()
        self.entries[key] = (now, value)
        return value

    def __len__(self):
        return len(self.entries)
