"""Directories listed in another order."""

from __future__ import annotations

from typing import ClassVar

from samebits.core.setting import Setting
from samebits.training.control.variation import Variation


class ListingVariation(Variation):
    """Directories are listed in an order that no file system promises against."""

    name: ClassVar[str] = "listing"
    what: ClassVar[str] = "directories listed in another order"
    meaning: ClassVar[str] = "the order in which files are listed reached a result"
    fix: ClassVar[str] = "Write sorted(...) around os.listdir, os.scandir, glob and iterdir."
    cause: ClassVar[str] = "file-order"
    hook: ClassVar[str | None] = "listing"
    settings: ClassVar[dict[str, Setting]] = {"order": "permuted"}
