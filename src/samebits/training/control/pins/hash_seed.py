"""Python's hash seed, fixed."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin
from samebits.training.control.surroundings import Surroundings


class HashSeedPin(Pin):
    """Hashes of strings, and with them the order of sets, are the same in every run."""

    name: ClassVar[str] = "hash-seed"
    what: ClassVar[str] = "Python's hash seed fixed (PYTHONHASHSEED=0)"
    causes: ClassVar[tuple[str, ...]] = ("hash-order",)

    def pinned(self) -> Surroundings:
        """Hash seed 0."""
        return Surroundings(environment={"PYTHONHASHSEED": "0"})
