"""A clock that goes the same way each time."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.hold import Hold


class Clock(Hold):
    """Time starts at a fixed moment and goes on by a fixed amount at each question."""

    name: ClassVar[str] = "clock"
    what: ClassVar[str] = "the clock starts at a fixed moment and goes by the questions asked"
    causes: ClassVar[tuple[str, ...]] = ("clock",)
    hook: ClassVar[str | None] = "clock"
    by_site: ClassVar[bool] = True
