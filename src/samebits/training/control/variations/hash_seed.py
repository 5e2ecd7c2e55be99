"""Another hash seed."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.surroundings import Surroundings
from samebits.training.control.variation import Baseline, Variation

_SEED, _OTHER_SEED = "4242", "2424"


class HashSeedVariation(Variation):
    """Hashes of strings come out differently, and with them the order of sets."""

    name: ClassVar[str] = "hash-seed"
    what: ClassVar[str] = "another hash seed (PYTHONHASHSEED)"
    meaning: ClassVar[str] = "the order of a set, or a hash of a string, reached a result"
    fix: ClassVar[str] = "Write sorted(...) around the set, or around what is hashed into an order."
    cause: ClassVar[str] = "hash-order"

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """A hash seed that the person has not fixed."""
        given = circumstances.environment.get("PYTHONHASHSEED")
        return Surroundings(
            environment={"PYTHONHASHSEED": _OTHER_SEED if given == _SEED else _SEED}
        )
