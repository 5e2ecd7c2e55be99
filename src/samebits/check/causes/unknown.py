"""What nothing explains."""

from __future__ import annotations

from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.variation import Baseline, Compared, Variation
from samebits.core.interposition.surroundings import Surroundings


class UnwatchedVariation(Variation):
    """The script runs without being recorded; what it prints is compared."""

    name: ClassVar[str] = "unwatched"
    what: ClassVar[str] = "a plain run, not recorded; what it prints is compared"
    meaning: ClassVar[str] = "the script behaves differently when it is recorded"
    fix: ClassVar[str] = (
        "Look for what depends on time, memory, environment variables or loaded modules; take what "
        "samebits says of this script with care until the two print the same."
    )
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


class Unknown(KnownCause):
    """The place is known, the reason is not."""

    code: ClassVar[str] = "unknown"
    meaning: ClassVar[str] = (
        "The first operation that differs is known, but nothing in the recording explains it."
    )
    look: ClassVar[str] = (
        "Run samebits check --control: where the runs then agree, a seed or a switch is missing."
    )
    variations: ClassVar[tuple[Variation, ...]] = (UnwatchedVariation(),)
