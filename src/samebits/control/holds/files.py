"""Files as the run before found them."""

from __future__ import annotations

from typing import ClassVar

from samebits.control.hold import Hold


class Files(Hold):
    """What a run writes into files that were there before, or makes anew, is for this run alone."""

    name: ClassVar[str] = "files"
    what: ClassVar[str] = "each run finds the files as the run before found them"
    causes: ClassVar[tuple[str, ...]] = ("data-changed",)
    hook: ClassVar[str | None] = "files"
    by_site: ClassVar[bool] = True
