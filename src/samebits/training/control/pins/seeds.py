"""Every generator seeded."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin


class SeedsPin(Pin):
    """Every generator starts from a fixed number, also one that the script gives no seed."""

    name: ClassVar[str] = "seeds"
    what: ClassVar[str] = "every random generator seeded, including those created without a seed"
    causes: ClassVar[tuple[str, ...]] = ("unseeded-rng", "worker-rng")
    hook: ClassVar[str | None] = "seeds"
    by_site: ClassVar[bool] = True
