"""What a run writes of the tensors that it followed: names that writer and reader share."""

from __future__ import annotations

from pathlib import Path

COLUMNS = ("row", "place", "digest", "maker", "signature")
"""Columns of the notes: four whole numbers without a sign, and a text."""

NO_MAKER = 2**64 - 1
"""Stands for "no operation that was followed": it was there before, or came from outside."""

MOST_BYTES = 64 * 2**20
"""Bytes of results that are kept at most."""


def samples_file(notes: Path) -> Path:
    """Where the samples of results lie: a tensor "row.place" each."""
    return notes.with_suffix(".safetensors")
