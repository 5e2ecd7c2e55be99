"""A few of many digests, the least ones, by which two sets can be compared without keeping either.

Of two sets the same digests are among the least, as far as both reach: the idea of MinHash
(Broder, "On the resemblance and containment of documents", 1997).
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable
from typing import Any

KEPT = 256


class LeastDigests:
    """Keeps the least of all digests that it is given, each once.

    Attributes:
        whole: Whether these are all.
        repeats: Whether one of those kept was given twice.
    """

    def __init__(self) -> None:
        self.whole = True
        self.repeats = False
        self._least: list[int] = []

    def add(self, digests: Iterable[int]) -> None:
        """Take in further digests of 64 bits."""
        for digest in digests:
            if len(self._least) == KEPT and digest > self._least[-1]:
                self.whole = False
                continue
            at = bisect.bisect_left(self._least, digest)
            if at < len(self._least) and self._least[at] == digest:
                self.repeats = True
                continue
            self._least.insert(at, digest)
            if len(self._least) > KEPT:
                self._least.pop()
                self.whole = False

    def to_json(self) -> dict[str, Any]:
        """As the manifest keeps them."""
        return {
            "digests": [f"{digest:016x}" for digest in self._least],
            "whole": self.whole,
            "repeats": self.repeats,
        }
