"""Numbers in sentences."""

from __future__ import annotations


def how_often(count: int) -> str:
    """A count as an adverb: "once", "1,200 times"."""
    return "once" if count == 1 else f"{count:,} times"
