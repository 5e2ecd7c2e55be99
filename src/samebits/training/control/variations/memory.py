"""Noise in memory that nobody has written to."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.memory_fill import NOISE, filled_with, no_filling
from samebits.training.control.surroundings import HookSpec, Surroundings
from samebits.training.control.variation import Baseline, Variation


class MemoryVariation(Variation):
    """Memory holds large numbers when it is handed out, and when it is taken back."""

    name: ClassVar[str] = "memory"
    what: ClassVar[str] = "noise in freed and uninitialised memory"
    meaning: ClassVar[str] = "memory was read before anything was written to it"
    fix: ClassVar[str] = (
        "Write torch.zeros in place of torch.empty, or write every element before reading."
    )
    cause: ClassVar[str] = "uninitialized-memory"

    def not_applicable(self, circumstances: Baseline) -> str | None:
        """Some allocators cannot be told to fill."""
        return no_filling(circumstances.environment)

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """The same byte everywhere, which shows in every type."""
        noise = filled_with(NOISE, circumstances.environment)
        return Surroundings(environment=noise, hooks=(HookSpec(name="memory"),))
