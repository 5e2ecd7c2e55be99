"""Another way through the script."""

from __future__ import annotations

from typing import ClassVar

from samebits.check.causes.cause import KnownCause


class ControlFlow(KnownCause):
    """One run did what the other did not."""

    code: ClassVar[str] = "control-flow"
    meaning: ClassVar[str] = (
        "One run executed operations that the other did not, although all earlier data and random "
        "numbers agree."
    )
    look: ClassVar[str] = "Find the condition or the loop around the line, and what it reads."
