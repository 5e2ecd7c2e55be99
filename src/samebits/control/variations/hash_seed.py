"""Another hash seed."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.surroundings import Surroundings
from samebits.control.variation import Circumstances, Variation

_SEED, _OTHER_SEED = "4242", "2424"


class HashSeed(Variation):
    """Hashes of strings come out differently, and with them the order of sets."""

    name: ClassVar[str] = "hash-seed"
    what: ClassVar[str] = "another hash seed (PYTHONHASHSEED)"
    meaning: ClassVar[str] = "the order of a set, or a hash of a string, reached a result"
    fix: ClassVar[str] = "Write sorted(...) around the set, or around what is hashed into an order."
    cause: ClassVar[str] = "hash-order"

    def surroundings(self, circumstances: Circumstances) -> Surroundings:
        """A hash seed that the person has not fixed."""
        given = circumstances.environment.get("PYTHONHASHSEED")
        return Surroundings(
            environment={"PYTHONHASHSEED": _OTHER_SEED if given == _SEED else _SEED}
        )
