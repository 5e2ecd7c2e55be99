"""One thread for every operation."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.hold import Hold
from samebits.control.surroundings import Surroundings
from samebits.control.thread_counts import limited_to


class Threads(Hold):
    """Operations run on one thread, whatever the script asks for."""

    name: ClassVar[str] = "threads"
    what: ClassVar[str] = "every operation runs on one thread"
    causes: ClassVar[tuple[str, ...]] = ("nondeterministic-op", "thread-timing")
    hook: ClassVar[str | None] = "threads"

    def held(self) -> Surroundings:
        """One thread for each library that reads a variable."""
        return Surroundings(environment=limited_to(1))
