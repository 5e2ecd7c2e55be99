"""Another date and time of day."""

from __future__ import annotations

from typing import ClassVar

from samebits.core.setting import Setting
from samebits.training.control.variation import Variation


class ClockVariation(Variation):
    """It is another year, month, day of the week and half of the day; durations are real."""

    name: ClassVar[str] = "clock"
    what: ClassVar[str] = "another date and time of day"
    meaning: ClassVar[str] = "the date or the time of day reached a result"
    fix: ClassVar[str] = (
        "Seed with a number that is written down, and keep the date out of what is computed."
    )
    cause: ClassVar[str] = "clock"
    hook: ClassVar[str | None] = "clock"
    settings: ClassVar[dict[str, Setting]] = {"mode": "shifted"}
    idle: ClassVar[str | None] = "the script asked for no date and no time of day"
