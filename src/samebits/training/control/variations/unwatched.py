"""A plain run that nothing watches."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.surroundings import Surroundings
from samebits.training.control.variation import Baseline, Compared, Variation


class UnwatchedVariation(Variation):
    """The script runs without being recorded; what it prints is compared."""

    name: ClassVar[str] = "unwatched"
    what: ClassVar[str] = "a plain run, not recorded; what it prints is compared"
    meaning: ClassVar[str] = "the script does something else when it is recorded"
    fix: ClassVar[str] = (
        "Look for what depends on time, memory, environment variables or loaded modules; take what "
        "samebits says of this script with care until the two print the same."
    )
    cause: ClassVar[str] = "unknown"
    compares: ClassVar[Compared] = "output"

    def not_applicable(self, circumstances: Baseline) -> str | None:
        """Control acts from inside the recorded process, and so does what stops it."""
        if circumstances.controlled:
            return "a run that is not recorded cannot be held under control"
        if circumstances.stopped:
            return "a run that is not recorded cannot be stopped after a step"
        return None

    def surroundings(self, circumstances: Baseline) -> Surroundings:
        """As they are."""
        return Surroundings()
