"""State that a checkpoint did not hold."""

from __future__ import annotations

from typing import ClassVar

from samebits.check.causes.cause import KnownCause


class ResumeState(KnownCause):
    """A run was resumed from less than there was."""

    code: ClassVar[str] = "resume-state"
    meaning: ClassVar[str] = (
        "A resumed run did not start from all of the state that the first one had."
    )
    look: ClassVar[str] = (
        "Save the optimizer, the schedule, the gradient scaler, the generators and the place in "
        "the data beside the parameters."
    )
