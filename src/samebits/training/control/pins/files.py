"""Files as the run before found them."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin


class FilesPin(Pin):
    """What a run writes into files that were there before, or makes anew, is for this run alone."""

    name: ClassVar[str] = "files"
    what: ClassVar[str] = "files put back before each run"
    causes: ClassVar[tuple[str, ...]] = ("data-changed",)
    hook: ClassVar[str | None] = "files"
    by_site: ClassVar[bool] = True
