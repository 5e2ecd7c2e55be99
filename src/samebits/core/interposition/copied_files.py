"""Which file a copy was made of, in this process, where a run works on copies."""

from __future__ import annotations

_ORIGINALS: dict[str, str] = {}


def note_copy(copy: str, original: str) -> None:
    """Remember what a copy stands for.

    Args:
        copy: Absolute path of the copy.
        original: Absolute path of the file that the script asked for.
    """
    _ORIGINALS[copy] = original


def original_of(path: str) -> str:
    """The file that a copy was made of; the path itself where it is no copy."""
    return _ORIGINALS.get(path, path)
