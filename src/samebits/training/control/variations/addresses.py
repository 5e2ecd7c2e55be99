"""Objects at other addresses."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.surroundings import Surroundings
from samebits.training.control.variation import Baseline, Variation


class AddressesVariation(Variation):
    """Objects lie elsewhere in memory, also relative to each other."""

    name: ClassVar[str] = "addresses"
    what: ClassVar[str] = "objects at other addresses, and in another order of addresses"
    meaning: ClassVar[str] = "an order depended on where objects lie in memory"
    fix: ClassVar[str] = "Sort by something that the objects hold, such as a name, not by id()."
    cause: ClassVar[str] = "address-order"
    hook: ClassVar[str | None] = "addresses"
    idle: ClassVar[str | None] = (
        "new objects lay in a plain order all the same: whether an order depends on addresses "
        "could not be tried"
    )

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """Randomised addresses, also where control fixes them, and a shuffled heap."""
        return super().surroundings(circumstances) | Surroundings(addresses="random")
