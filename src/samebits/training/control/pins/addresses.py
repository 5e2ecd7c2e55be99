"""Addresses, not randomised."""

from __future__ import annotations

import sys
from typing import ClassVar

from samebits.training.control.pin import Pin
from samebits.training.control.surroundings import Surroundings


class AddressesPin(Pin):
    """The process is laid out in memory in the same way each time."""

    name: ClassVar[str] = "addresses"
    what: ClassVar[str] = "address randomisation off"
    causes: ClassVar[tuple[str, ...]] = ("address-order",)

    def not_applicable(self) -> str | None:
        """Outside of Linux there is no call for it."""
        if sys.platform.startswith("linux"):
            return None
        return f"{sys.platform} offers no call for it"

    def pinned(self) -> Surroundings:
        """No randomisation."""
        return Surroundings(addresses="fixed")
