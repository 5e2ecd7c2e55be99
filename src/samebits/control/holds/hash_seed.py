"""Python's hash seed, fixed."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.hold import Hold
from samebits.control.surroundings import Surroundings


class HashSeed(Hold):
    """Hashes of strings, and with them the order of sets, are the same in every run."""

    name: ClassVar[str] = "hash-seed"
    what: ClassVar[str] = "Python's hash seed is fixed (PYTHONHASHSEED=0)"
    causes: ClassVar[tuple[str, ...]] = ("hash-order",)

    def held(self) -> Surroundings:
        """Hash seed 0."""
        return Surroundings(environment={"PYTHONHASHSEED": "0"})
