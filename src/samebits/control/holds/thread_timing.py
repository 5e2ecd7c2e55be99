"""One thing after another."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.hold import Hold


class ThreadTiming(Hold):
    """Threads, processes and pools that the script starts do one thing after another."""

    name: ClassVar[str] = "thread-timing"
    what: ClassVar[str] = "the script's threads, processes and pools do one thing after another"
    causes: ClassVar[tuple[str, ...]] = ("thread-timing",)
    hook: ClassVar[str | None] = "serial"
