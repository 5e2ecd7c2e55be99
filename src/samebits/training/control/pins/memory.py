"""Uninitialised memory, zero."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.memory_fill import filled_with, no_filling
from samebits.training.control.pin import Pin
from samebits.training.control.surroundings import Surroundings


class MemoryPin(Pin):
    """Memory holds zeros when it is handed out, whatever was there before."""

    name: ClassVar[str] = "memory"
    what: ClassVar[str] = "memory zeroed when it is allocated"
    causes: ClassVar[tuple[str, ...]] = ("uninitialized-memory",)
    hook: ClassVar[str | None] = "memory"

    def not_applicable(self) -> str | None:
        """Some allocators cannot be told to fill."""
        return no_filling()

    def pinned(self) -> Surroundings:
        """Zeros in every byte."""
        return Surroundings(environment=filled_with(0))
