"""Listings of directories, sorted."""

from __future__ import annotations

from typing import ClassVar

from samebits.training.control.pin import Pin


class ListingPin(Pin):
    """Directories are listed in the order of their entries' names."""

    name: ClassVar[str] = "listing"
    what: ClassVar[str] = "directory listings sorted"
    causes: ClassVar[tuple[str, ...]] = ("file-order",)
    hook: ClassVar[str | None] = "listing"
    by_site: ClassVar[bool] = True
