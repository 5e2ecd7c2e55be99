"""Uninitialised memory, zero."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.hold import Hold
from samebits.control.memory_fill import filled_with, no_filling
from samebits.control.surroundings import Surroundings


class Memory(Hold):
    """Memory holds zeros when it is handed out, whatever was there before."""

    name: ClassVar[str] = "memory"
    what: ClassVar[str] = "memory holds zeros when it is handed out"
    causes: ClassVar[tuple[str, ...]] = ("uninitialized-memory",)
    hook: ClassVar[str | None] = "memory"

    def not_applicable(self) -> str | None:
        """Some allocators cannot be told to fill."""
        return no_filling()

    def held(self) -> Surroundings:
        """Zeros in every byte."""
        return Surroundings(environment=filled_with(0))
