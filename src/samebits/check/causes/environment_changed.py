"""Another environment, or what happened to be free and in use on the machine."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar

from samebits.check.causes.cause import KnownCause
from samebits.check.causes.culprit import Culprit
from samebits.check.causes.evidence import Evidence
from samebits.check.causes.hypothesis import Hypothesis, Standing
from samebits.check.causes.pin import Pin
from samebits.core.source.statement import Statement


class UsagePin(Pin):
    """What the script asks of memory, load, disk and processor time has the same answer."""

    name: ClassVar[str] = "usage"
    what: ClassVar[str] = "the same readings of memory, disk and processor use in every run"
    hook: ClassVar[str | None] = "usage"


class EnvironmentChanged(KnownCause):
    """Other libraries, processors or settings, or a machine with less or more in use."""

    code: ClassVar[str] = "environment-changed"
    meaning: ClassVar[str] = (
        "Another version of a library, another processor, another setting; or a result that "
        "depends on how much memory, disk or processor time was in use."
    )
    look: ClassVar[str] = "Install the same versions; compare the manifests of the two run folders."
    pins: ClassVar[tuple[Pin, ...]] = (UsagePin(),)

    def hypotheses(self, evidence: Evidence) -> Iterator[Hypothesis]:
        """Where the script asks how much of the machine is in use."""
        if evidence.asks_usage and not evidence.is_elsewhere:
            yield Hypothesis(pin="usage", code=self.code, standing=Standing.POSSIBLE)

    def advice(self, culprit: Culprit, pinned: Collection[str], statement: Statement | None) -> str:
        """What to do without the reading."""
        if "usage" not in pinned:
            return self.look
        return (
            "Do not compute with what happens to be free or in use on the machine: use a fixed "
            "number, such as a size from the settings, in place of the reading."
        )
