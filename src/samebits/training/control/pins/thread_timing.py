"""One thing after another."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin


class ThreadTimingPin(Pin):
    """Threads, processes and pools that the script starts do one thing after another."""

    name: ClassVar[str] = "thread-timing"
    what: ClassVar[str] = "the script's threads, processes and pools taking turns in a fixed order"
    causes: ClassVar[tuple[str, ...]] = ("thread-timing",)
    hook: ClassVar[str | None] = "serial"
