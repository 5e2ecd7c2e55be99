"""A clock that goes the same way each time."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin


class ClockPin(Pin):
    """Time starts at a fixed moment and goes on by a fixed amount at each question."""

    name: ClassVar[str] = "clock"
    what: ClassVar[str] = "a clock that starts at a fixed moment and advances only when it is read"
    causes: ClassVar[tuple[str, ...]] = ("clock",)
    hook: ClassVar[str | None] = "clock"
    by_site: ClassVar[bool] = True
