"""One thread for every operation."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin
from samebits.training.control.surroundings import Surroundings
from samebits.training.control.thread_counts import limited_to


class ThreadsPin(Pin):
    """Operations run on one thread, whatever the script asks for."""

    name: ClassVar[str] = "threads"
    what: ClassVar[str] = "every operation on one thread"
    causes: ClassVar[tuple[str, ...]] = ("nondeterministic-op", "thread-timing")
    hook: ClassVar[str | None] = "threads"

    def pinned(self) -> Surroundings:
        """One thread for each library that reads a variable."""
        return Surroundings(environment=limited_to(1))
